#include "io/traces/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
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
class DistinctNames {
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
  DistinctNames users;
  DistinctNames groups;
  DistinctNames kinds;
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

// What `trace inspect` prints, as text and as JSON.
namespace {

using nlohmann::json;

/// "1.5 h": three digits in the unit a reader would choose.
std::string readable(Duration d) {
  const double s = seconds(d);
  if (s < 120) return fmt::format("{:.3g} s", s);
  if (s < 2 * 3600) return fmt::format("{:.3g} min", s / 60);
  if (s < 2 * 86400) return fmt::format("{:.3g} h", s / 3600);
  return fmt::format("{:.4g} d", s / 86400);
}

class ReportLines {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += fmt::format("{:<18}{}\n", name, value);
  }
  void add(std::string_view name, const DurationSpread& spread) {
    add(name, fmt::format("min {}, p25 {}, p50 {}, p75 {}, p95 {}, p99 {}, max {}, mean {}",
                          readable(spread.least), readable(spread.p25), readable(spread.p50),
                          readable(spread.p75), readable(spread.p95), readable(spread.p99),
                          readable(spread.most), readable(spread.mean)));
  }
  void add(std::string_view name, const std::vector<DroppedRows>& dropped) {
    for (const auto& rows : dropped) {
      add(name, fmt::format("{} rows: {}", rows.count, rows.reason));
      for (const auto& example : rows.examples) add("", "  " + example);
    }
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

void add_sizes(ReportLines& lines, const TraceFacts& facts) {
  for (const auto& [gpus, jobs] : facts.sizes)
    lines.add(gpus == facts.sizes.begin()->first ? "sizes" : "",
              fmt::format("{:>6} GPUs {:>9} jobs {:>6.2f} %", gpus, jobs,
                          100.0 * static_cast<double>(jobs) / static_cast<double>(facts.jobs)));
}

void add_cluster(ReportLines& lines, const TraceFacts& facts) {
  if (facts.cluster_gpus) {
    lines.add("cluster", fmt::format("{} GPUs", *facts.cluster_gpus));
    lines.add("offered load",
              facts.offered_load
                  ? fmt::format("{:.1f} % of the cluster over the span", 100 * *facts.offered_load)
                  : "undefined: all jobs are submitted at once");
    lines.add("never fit",
              fmt::format("{} jobs ask for more GPUs than there are", *facts.never_fit));
  }
  if (facts.sub_node)
    lines.add("sub-node", fmt::format("{} jobs ask for fewer than a node's {} GPUs",
                                      *facts.sub_node, *facts.gpus_per_node));
}

json to_object(const DurationSpread& spread) {
  return {{"min", seconds(spread.least)}, {"p25", seconds(spread.p25)},
          {"p50", seconds(spread.p50)},   {"p75", seconds(spread.p75)},
          {"p95", seconds(spread.p95)},   {"p99", seconds(spread.p99)},
          {"max", seconds(spread.most)},  {"mean", seconds(spread.mean)}};
}

json to_object(const std::vector<DroppedRows>& dropped) {
  auto list = json::array();
  for (const auto& rows : dropped)
    list.push_back({{"reason", rows.reason}, {"count", rows.count}, {"examples", rows.examples}});
  return list;
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json to_object(const TraceReport& report) {
  return {{"file", report.file},
          {"format", report.format},
          {"time_unit", report.time_unit},
          {"time_unit_reason", report.time_unit_reason},
          {"dated", report.dated},
          {"rows_read", report.rows_read},
          {"rows_kept", report.rows_kept},
          {"rows_bad", to_object(report.bad)},
          {"rows_left_out", to_object(report.left_out)},
          {"notes", report.notes}};
}

}  // namespace

std::string to_text(const TraceFacts& facts) {
  const auto& report = facts.report;
  ReportLines lines;
  lines.add("trace", report.file);
  lines.add("format", report.format);
  lines.add("time unit", fmt::format("{} ({})", report.time_unit, report.time_unit_reason));
  lines.add("rows", fmt::format("{} read, {} kept", report.rows_read, report.rows_kept));
  lines.add("dropped", report.bad);
  lines.add("left out", report.left_out);
  for (const auto& note : report.notes) lines.add("note", note);
  lines.add("jobs",
            fmt::format("{}, of which {} with a deadline, {} with parents, {} that outrun "
                        "their request",
                        facts.jobs, facts.with_deadline, facts.with_parents, facts.over_request));
  lines.add("names",
            fmt::format("{} users, {} groups, {} kinds", facts.users, facts.groups, facts.kinds));
  lines.add("submissions", fmt::format("{} to {}, {}", format_time(facts.first),
                                       format_time(facts.last), readable(facts.span)));
  if (facts.gaps) lines.add("interarrival", *facts.gaps);
  lines.add("run time", facts.durations);
  lines.add("work", fmt::format("{:.1f} GPU-hours", facts.gpu_hours));
  add_sizes(lines, facts);
  add_cluster(lines, facts);
  return std::move(lines).text();
}

std::string to_json(const TraceFacts& facts) {
  auto sizes = json::array();
  for (const auto& [gpus, jobs] : facts.sizes) sizes.push_back({{"gpus", gpus}, {"jobs", jobs}});
  const json object{{"report", to_object(facts.report)},
                    {"jobs", facts.jobs},
                    {"first", format_time(facts.first)},
                    {"last", format_time(facts.last)},
                    {"span_s", seconds(facts.span)},
                    {"sizes", sizes},
                    {"duration_s", to_object(facts.durations)},
                    {"interarrival_s", facts.gaps ? to_object(*facts.gaps) : json()},
                    {"gpu_hours", facts.gpu_hours},
                    {"over_request", facts.over_request},
                    {"with_deadline", facts.with_deadline},
                    {"with_parents", facts.with_parents},
                    {"users", facts.users},
                    {"groups", facts.groups},
                    {"kinds", facts.kinds},
                    {"cluster_gpus", or_null(facts.cluster_gpus)},
                    {"gpus_per_node", or_null(facts.gpus_per_node)},
                    {"offered_load", or_null(facts.offered_load)},
                    {"never_fit", or_null(facts.never_fit)},
                    {"sub_node", or_null(facts.sub_node)}};
  return object.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace penstock
