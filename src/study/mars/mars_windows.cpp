#include "study/mars/mars_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/rng.h"

namespace penstock {
namespace {

constexpr std::uint64_t kWindowJobs = 512;
constexpr std::uint64_t kStudySeed = 5;
/// About as many tasks as the windows of other workloads have jobs, or more.
constexpr std::uint32_t kWorkflowsInWindow = 8;

/// A part of a workload: what its jobs have in common, and how many there are.
struct TracePart {
  std::string_view overrides{};  ///< separated by spaces
  std::uint64_t jobs = 0;
  std::uint64_t before = 0;  ///< jobs to skip before the first of them
};

struct MarsWorkload {
  std::string_view name{};
  std::string_view change{};  ///< lets queues form within a window; see data/README.md
  TracePart training{};
  TracePart test{};
};

constexpr auto kMarsWorkloads = std::to_array<MarsWorkload>({
    {"lisa",
     "site.nodes.count=24",
     {"workload.until=2022-10-15", 30278},
     {"workload.from=2022-10-15", 38370}},
    {"eagle", "site.nodes.count=24", {"", 483}, {"", 512, 483}},
    {"lublin", "", {"", 10000}, {"", 10000, 10000}},
    {"mustang",
     "workload.load=8",
     {"workload.until=2021-05-01", 24097},
     {"workload.from=2021-05-01", 8993}},
    {"azure",
     "workload.load=2",
     {"workload.until=2021-03-01", 16192},
     {"workload.from=2021-03-01", 16681}},
    {"philly",
     "site.nodes.count=16",
     {"workload.until=2017-11-01", 47192},
     {"workload.from=2017-11-01 workload.start=2021-11-01", 21318}},
});

constexpr std::string_view kWorkflows = "workflows";
constexpr auto kTestInstances = std::to_array<std::string_view>(
    {"1000genome-chameleon-8ch-250k-001", "blast-chameleon-large-001",
     "cycles-chameleon-1l-2c-9p-001", "epigenomics-chameleon-ilmn-1seq-50k-001",
     "montage-chameleon-dss-10d-001", "rnaseq-dirt02-001", "srasearch-chameleon-50a-001"});
constexpr auto kTrainingInstances = std::to_array<std::string_view>(
    {"1000genome-chameleon-22ch-100k-001", "1000genome-chameleon-2ch-100k-001",
     "blast-chameleon-small-001", "bwa-chameleon-small-001", "cycles-chameleon-1l-1c-9p-001",
     "epigenomics-chameleon-hep-1seq-100k-001", "epigenomics-chameleon-hep-7seq-100k-001",
     "helloworld-chain-5-chameleon", "helloworld-forkjoin-10-chameleon", "methylseq-dirt02-001",
     "montage-chameleon-2mass-005d-001", "montage-chameleon-2mass-015d-001",
     "srasearch-chameleon-10a-001", "taxprofiler-dirt02-001"});

void add_overrides(std::string_view text, std::vector<std::string>& overrides) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) overrides.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// So many different numbers below `below`, or all of them, in rising order: one of each of as many
/// equal stretches, so that windows spread over the whole part and overlap little.
std::vector<std::uint64_t> draw_spread(std::uint64_t below, std::uint32_t count, Rng rng) {
  const std::uint64_t stretches = std::min<std::uint64_t>(below, count);
  std::vector<std::uint64_t> drawn;
  drawn.reserve(stretches);
  for (std::uint64_t i = 0; i < stretches; ++i) {
    const std::uint64_t from = below * i / stretches;
    drawn.push_back(from + rng.below(below * (i + 1) / stretches - from));
  }
  return drawn;
}

Rng chance_of(std::string_view workload, MarsPart part) {
  return Rng(kStudySeed).stream(workload).stream(name_of(part));
}

std::vector<MarsPlan> draw_streams(MarsPart part, std::uint32_t count) {
  std::string files;
  const std::span<const std::string_view> instances =
      part == MarsPart::test ? std::span<const std::string_view>(kTestInstances)
                             : kTrainingInstances;
  for (const std::string_view name : instances)
    files += fmt::format("{}\"../../workflows/{}.json.gz\"", files.empty() ? "" : ", ", name);
  std::vector<MarsPlan> plans;
  plans.reserve(count);
  for (const std::uint64_t seed : draw_spread(1u << 30, count, chance_of(kWorkflows, part)))
    plans.push_back({.workload = std::string(kWorkflows),
                     .part = part,
                     .number = static_cast<std::uint32_t>(plans.size() + 1),
                     .first = seed,
                     .overrides = {fmt::format("workload.workflows.files=[{}]", files),
                                   fmt::format("workload.workflows.count={}", kWorkflowsInWindow),
                                   fmt::format("seed={}", seed)}});
  return plans;
}

}  // namespace

std::string_view name_of(MarsPart part) {
  return part == MarsPart::test ? "test" : "training";
}

std::vector<std::string> mars_workloads() {
  std::vector<std::string> names;
  names.reserve(kMarsWorkloads.size() + 1);
  for (const MarsWorkload& each : kMarsWorkloads) names.emplace_back(each.name);
  names.emplace_back(kWorkflows);
  return names;
}

std::vector<MarsPlan> draw_windows(const std::string& workload, MarsPart part,
                                   std::uint32_t count) {
  if (workload == kWorkflows) return draw_streams(part, count);
  const auto* found = std::ranges::find(kMarsWorkloads, workload, &MarsWorkload::name);
  PENSTOCK_CHECK(found != kMarsWorkloads.end());
  const TracePart& stretch = part == MarsPart::test ? found->test : found->training;
  const std::uint64_t jobs = std::min(kWindowJobs, stretch.jobs);
  std::vector<MarsPlan> plans;
  for (const std::uint64_t skip :
       draw_spread(stretch.jobs - jobs + 1, count, chance_of(workload, part))) {
    MarsPlan plan{.workload = workload,
                  .part = part,
                  .number = static_cast<std::uint32_t>(plans.size() + 1),
                  .first = stretch.before + skip,
                  .overrides = {}};
    add_overrides(found->change, plan.overrides);
    add_overrides(stretch.overrides, plan.overrides);
    plan.overrides.push_back(fmt::format("workload.skip={}", plan.first));
    plan.overrides.push_back(fmt::format("workload.limit={}", jobs));
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace penstock
