#include "io/traces/inspect.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace penstock {
namespace {

/// The smallest value that at least this share of them does not exceed.
Duration quantile(const std::vector<Duration>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size());
  auto index = static_cast<std::size_t>(rank);
  if (static_cast<double>(index) == rank && index > 0) --index;
  return sorted[std::min(index, sorted.size() - 1)];
}

std::optional<DurationSpread> spread_of(std::vector<Duration> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  double sum = 0;
  for (const auto value : values) sum += seconds(value);
  return DurationSpread{.least = values.front(),
                        .p25 = quantile(values, .25),
                        .p50 = quantile(values, .50),
                        .p75 = quantile(values, .75),
                        .p95 = quantile(values, .95),
                        .p99 = quantile(values, .99),
                        .most = values.back(),
                        .mean = round_duration(sum / static_cast<double>(values.size()))};
}

/// Different names, the empty one aside.
class Names {
 public:
  void add(std::string_view name) {
    if (name.empty() || name == last_) return;
    last_ = name;
    names_.insert(name);
  }
  std::uint64_t count() const { return names_.size(); }

 private:
  std::string_view last_;
  std::set<std::string_view> names_;
};

void count_jobs(TraceFacts& facts, const Trace& trace) {
  Names users;
  Names groups;
  Names kinds;
  for (const auto& traced : trace.jobs) {
    const auto& job = traced.job;
    ++facts.sizes[job.gpus];
    facts.gpu_hours += job.gpus * seconds(traced.actual) / 3600;
    facts.over_request += traced.actual > job.requested ? 1 : 0;
    facts.with_deadline += job.deadline ? 1 : 0;
    facts.with_parents += job.parents.empty() ? 0 : 1;
    users.add(job.user);
    groups.add(job.group);
    kinds.add(job.kind);
  }
  facts.users = users.count();
  facts.groups = groups.count();
  facts.kinds = kinds.count();
}

void measure_times(TraceFacts& facts, const std::vector<TracedJob>& jobs) {
  std::vector<Duration> durations;
  std::vector<Duration> gaps;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    durations.push_back(jobs[i].actual);
    if (i > 0) gaps.push_back(jobs[i].job.submitted - jobs[i - 1].job.submitted);
  }
  facts.durations = spread_of(std::move(durations)).value_or(DurationSpread{});
  facts.gaps = spread_of(std::move(gaps));
  if (jobs.empty()) return;
  facts.first = jobs.front().job.submitted;
  facts.last = jobs.back().job.submitted;
  facts.span = facts.last - facts.first;
}

void compare_to_cluster(TraceFacts& facts) {
  if (facts.cluster_gpus) {
    facts.never_fit = 0;
    for (const auto& [gpus, jobs] : facts.sizes)
      if (gpus > *facts.cluster_gpus) *facts.never_fit += jobs;
    const double capacity = *facts.cluster_gpus * seconds(facts.span) / 3600;
    if (capacity > 0) facts.offered_load = facts.gpu_hours / capacity;
  }
  if (facts.gpus_per_node) {
    facts.sub_node = 0;
    for (const auto& [gpus, jobs] : facts.sizes)
      if (gpus < *facts.gpus_per_node) *facts.sub_node += jobs;
  }
}

}  // namespace

TraceFacts inspect(const Trace& trace, std::optional<std::uint32_t> cluster_gpus,
                   std::optional<std::uint32_t> gpus_per_node) {
  TraceFacts facts;
  facts.report = trace.report;
  facts.jobs = trace.jobs.size();
  facts.cluster_gpus = cluster_gpus;
  facts.gpus_per_node = gpus_per_node;
  count_jobs(facts, trace);
  measure_times(facts, trace.jobs);
  compare_to_cluster(facts);
  return facts;
}

}  // namespace penstock
