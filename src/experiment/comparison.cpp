#include "experiment/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "base/version.h"
#include "experiment/scenario_bounds.h"
#include "report/measures/run_summary.h"

namespace penstock {
namespace {

/// A directory name for each run, all different.
std::vector<std::string> directory_names(const std::vector<PolicyRunRequest>& runs) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const PolicyRunRequest& run : runs) {
    const std::string plain = folder_name(run_label(run.policy, run.variant.swept));
    std::string name = plain;
    for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}-{}", plain, i);
    names.push_back(name);
  }
  return names;
}

Result<Done> give_directories(std::vector<PolicyRunRequest>& runs,
                              const std::filesystem::path& dir) {
  const std::vector<std::string> names = directory_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].dir = runs.size() == 1 ? dir : dir / names[i];
    std::error_code error;
    std::filesystem::create_directories(*runs[i].dir, error);
    if (error) return Error{fmt::format("cannot write to {}: {}", dir.string(), error.message())};
  }
  return Done{};
}

/// Half as long again as the longest run of a combination.
Duration longer_than_all(const std::vector<PolicyRunRequest>& runs,
                         const std::vector<PolicyRun>& results, const Variant& variant) {
  double longest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (&runs[i].variant == &variant)
      longest = std::max(longest, results[i].summary.makespan_s.value_or(0));
  return round_duration(1.5 * longest);
}

/// Runs of one combination follow each other and share its bounds.
void add_gaps(const std::vector<PolicyRunRequest>& runs, std::vector<PolicyRun>& results) {
  Bounds bounds;
  std::optional<double> utility;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Variant& variant = runs[i].variant;
    if (i == 0 || &variant != &runs[i - 1].variant) {
      bounds = scenario_bounds(variant.scenario, variant.workload);
      utility = most_utility(variant.scenario, variant.workload, results[i].summary,
                             longer_than_all(runs, results, variant));
    }
    fill_gaps(results[i].summary, bounds);
    results[i].summary.bound_utility = utility;
  }
}

bool same_choice(const PolicyChoice& a, const PolicyChoice& b) {
  return a.name == b.name && a.options == b.options;
}

/// Adds utilities of runs over sites whose jobs have homes. Runs of one combination share the
/// reference, which is that of the first; it is run if it is not among them.
Result<Done> add_utilities(const std::vector<PolicyRunRequest>& runs,
                           std::vector<PolicyRun>& results) {
  std::optional<RunSummary> local;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Variant& variant = runs[i].variant;
    if (variant.scenario.cluster.network.empty()) continue;
    if (i == 0 || &variant != &runs[i - 1].variant) {
      const PolicyChoice home = without_routing(runs[i].policy);
      const auto found = std::ranges::find_if(runs, [&](const PolicyRunRequest& run) {
        return &run.variant == &variant && same_choice(run.policy, home);
      });
      if (found != runs.end()) {
        local = results[static_cast<std::size_t>(found - runs.begin())].summary;
      } else {
        auto extra = run_at_home(variant, runs[i].policy, runs[i].stop);
        if (!extra) return std::move(extra).error();
        local = *std::move(extra);
      }
    }
    fill_utility(results[i].summary, *local, variant.scenario.utility);
  }
  return Done{};
}

/// Runs all requests on several threads; the results are in their order.
Result<std::vector<PolicyRun>> run_all(const std::vector<PolicyRunRequest>& runs,
                                       const RunOptions& options) {
  std::atomic<std::uint64_t> ended = 0;
  std::uint64_t expected = 0;
  for (const PolicyRunRequest& run : runs) expected += run.variant.workload.count;
  std::vector<std::optional<Result<PolicyRun>>> results(runs.size());
  const auto run_next = [&](std::size_t i) {
    PolicyRunRequest counted = runs[i];
    counted.jobs_ended = &ended;
    results[i] = run_policy(counted);
  };
  work_in_parallel(runs.size(), options.threads, run_next, options.progress,
                   [&] { return WorkProgress{.done = ended, .expected = expected}; });
  std::vector<PolicyRun> done;
  for (auto& result : results) {
    if (!*result) return std::move(*result).error();
    done.push_back(**std::move(result));
  }
  return done;
}

}  // namespace

Result<Comparison> run_experiment(const Experiment& experiment, const RunOptions& options) {
  std::vector<PolicyRunRequest> runs;
  for (const auto& variant : experiment.variants)
    for (PolicyChoice& choice : policies_of(*variant, experiment.policies))
      runs.push_back({.variant = *variant,
                      .policy = std::move(choice),
                      .files = options.files,
                      .details = options.details,
                      .by_hour = options.by_hour,
                      .stop = options.stop});
  if (options.dir)
    if (auto given = give_directories(runs, *options.dir); !given) return std::move(given).error();
  auto results = run_all(runs, options);
  if (!results) return std::move(results).error();
  for (std::size_t i = 0; options.dir && i < runs.size(); ++i)
    (*results)[i].summary.dir = runs.size() == 1 ? "" : runs[i].dir->filename().string();
  if (auto done = add_utilities(runs, *results); !done) return std::move(done).error();
  if (options.with_bound) add_gaps(runs, *results);
  return Comparison{.runs = *std::move(results)};
}

SummaryHead summary_head(const Scenario& scenario) {
  return {.version = kVersion,
          .scenario = scenario.name,
          .scenario_hash = scenario.hash,
          .seed = scenario.seed,
          .currency = scenario.currency};
}

Result<RunSummary> run_at_home(const Variant& variant, const PolicyChoice& first,
                               const std::stop_token& stop) {
  auto run = run_policy({.variant = variant, .policy = without_routing(first), .stop = stop});
  if (!run) return std::move(run).error();
  return std::move(run->summary);
}

std::vector<RunSummary> Comparison::summaries() const {
  std::vector<RunSummary> all;
  all.reserve(runs.size());
  for (const PolicyRun& run : runs) all.push_back(run.summary);
  return all;
}

}  // namespace penstock
