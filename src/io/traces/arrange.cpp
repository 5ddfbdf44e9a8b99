#include "io/traces/arrange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rng.h"

namespace penstock {
namespace {

using Jobs = std::vector<TracedJob>;

void move_by(TracedJob& traced, Duration by) {
  traced.job.submitted += by;
  if (traced.job.deadline) *traced.job.deadline += by;
}

/// A job may not be submitted before its parents: later ones could not be
/// numbered. It could not have started then either.
std::uint64_t wait_for_parents(Jobs& jobs) {
  std::uint64_t moved = 0;
  for (auto& traced : jobs) {
    Time earliest = traced.job.submitted;
    for (const JobId parent : traced.job.parents)
      earliest = std::max(earliest, jobs[parent.index].job.submitted);
    if (earliest == traced.job.submitted) continue;
    move_by(traced, earliest - traced.job.submitted);
    ++moved;
  }
  return moved;
}

/// Which option, if any, does not want this job.
std::string unwanted(const TracedJob& traced, const TraceOptions& options) {
  const Job& job = traced.job;
  if (options.min_duration && traced.actual < *options.min_duration)
    return "option min_duration: shorter";
  if (options.gpus_max && job.gpus > *options.gpus_max)
    return fmt::format("option gpus_max: more than {} GPUs", *options.gpus_max);
  if (options.from && job.submitted < *options.from) return "option from: submitted before";
  if (options.until && job.submitted >= *options.until)
    return "option until: submitted then or later";
  return {};
}

/// Which option, if any, does not want the job that comes behind `wanted` others.
std::string beyond(std::uint64_t wanted, const TraceOptions& options) {
  if (wanted < options.skip) return fmt::format("option skip: among the first {}", options.skip);
  if (options.limit && wanted - options.skip >= *options.limit)
    return options.skip == 0
               ? fmt::format("option limit: behind the first {}", *options.limit)
               : fmt::format("option limit: behind {} after the skipped", *options.limit);
  return {};
}

/// What the options leave out, and when the trace begins that they cut from.
struct RowSelection {
  std::vector<bool> out{};   ///< by row
  std::uint64_t wanted = 0;  ///< before skip and limit
  Time begin{};
};

/// `order` is that of submission.
RowSelection select_rows(TraceRows& rows, const std::vector<std::uint32_t>& order,
                         const TraceOptions& options) {
  RowSelection choice{.out = std::move(rows.gaps())};
  choice.out.resize(rows.jobs().size(), false);
  for (const auto i : order) {
    if (choice.out[i]) continue;
    const TracedJob& traced = rows.jobs()[i];
    auto reason = unwanted(traced, options);
    if (reason.empty()) {
      if (choice.wanted == 0) choice.begin = traced.job.submitted;
      reason = beyond(choice.wanted++, options);
    }
    if (!reason.empty()) count_dropped(rows.report().left_out, reason, {});
    choice.out[i] = !reason.empty();
  }
  return choice;
}

/// The nearest ancestors that are still there, each once.
void bridge_parents(Jobs& jobs, const std::vector<bool>& out) {
  for (auto& traced : jobs) {
    auto& parents = traced.job.parents;
    const bool whole =
        std::ranges::none_of(parents, [&](JobId parent) { return out[parent.index]; });
    if (whole) continue;
    std::vector<JobId> remaining;
    for (const JobId parent : parents) {
      if (!out[parent.index]) {
        remaining.push_back(parent);
      } else {
        const auto& theirs = jobs[parent.index].job.parents;  // bridged already: it came earlier
        remaining.insert(remaining.end(), theirs.begin(), theirs.end());
      }
    }
    std::ranges::sort(remaining);
    const auto rest = std::ranges::unique(remaining);
    remaining.erase(rest.begin(), rest.end());
    parents = std::move(remaining);
  }
}

/// Asks for a job that is needed soon: the next one in a cycle lies anywhere.
void fetch(const TracedJob& traced) {
  constexpr std::size_t kCacheLine = 64;
  const auto* bytes = reinterpret_cast<const char*>(&traced);
  for (std::size_t at = 0; at < sizeof traced; at += kCacheLine) __builtin_prefetch(bytes + at, 1);
}

/// Puts job order[i] at place i, for all i, with one job in the air at a time.
void permute(Jobs& jobs, const std::vector<std::uint32_t>& order) {
  std::vector<bool> placed(jobs.size(), false);
  for (std::uint32_t begin = 0; begin < jobs.size(); ++begin) {
    if (placed[begin] || order[begin] == begin) continue;
    TracedJob held = std::move(jobs[begin]);
    std::uint32_t at = begin;
    std::uint32_t ahead = order[order[order[begin]]];
    for (; order[at] != begin; at = order[at]) {
      ahead = order[ahead];
      fetch(jobs[ahead]);
      jobs[at] = std::move(jobs[order[at]]);
      placed[at] = true;
    }
    jobs[at] = std::move(held);
    placed[at] = true;
  }
}

void renumber_parents(Jobs& jobs, const std::vector<std::uint32_t>& order, std::size_t rows) {
  std::vector<std::uint32_t> number(rows, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  for (auto& traced : jobs)
    for (auto& parent : traced.job.parents) parent = JobId{number[parent.index]};
}

/// The jobs named by `order`, in that order.
Jobs collect(Jobs&& jobs, const std::vector<std::uint32_t>& order) {
  if (order.size() == jobs.size()) {
    permute(jobs, order);
    return std::move(jobs);
  }
  Jobs kept;
  kept.reserve(order.size());
  for (const auto i : order) kept.push_back(std::move(jobs[i]));
  return kept;
}

/// The wall time a job without a request asks for.
Duration made_up_request(const TracedJob& traced, const TraceOptions& options) {
  if (options.request_factor <= 1) return traced.actual;
  // By its number in the whole trace: a part of it asks for what the whole does.
  Rng draw = Rng(options.seed).stream("requests").stream(options.skip + traced.job.id.index);
  const double stretch = 1 + draw.uniform() * (options.request_factor - 1);
  return ceil_duration(seconds(traced.actual) * stretch);
}

/// Numbers the jobs, lays them on the calendar and completes their requests.
/// `first` is when the trace begins. Returns how long half of them run at most.
Duration settle(Jobs& jobs, Time first, bool dated, const TraceOptions& options) {
  const Time begin = dated && options.start ? *options.start : first;
  std::vector<Duration> actual(jobs.size());
  for (std::uint32_t id = 0; id < jobs.size(); ++id) {
    auto& traced = jobs[id];
    traced.job.id = JobId{id};
    const auto after = static_cast<double>((traced.job.submitted - first).count());
    const Duration spread(std::llround(after / options.load));
    move_by(traced, begin + spread - traced.job.submitted);
    if (traced.job.requested <= Duration::zero())
      traced.job.requested = made_up_request(traced, options);
    actual[id] = traced.actual;
  }
  const auto middle = actual.begin() + static_cast<std::ptrdiff_t>(actual.size() / 2);
  std::ranges::nth_element(actual, middle);
  return *middle;
}

void note_odd_durations(Duration median, TraceReport& report) {
  const auto note = [&](const std::string& what) {
    report.notes.push_back(
        fmt::format("half of the jobs run {}: is the file really in {}?", what, report.time_unit));
  };
  if (median > std::chrono::days(30))
    note(fmt::format("{:.0f} days or longer", seconds(median) / 86400));
  if (median < std::chrono::milliseconds(10)) note("less than 10 milliseconds");
}

Error empty_trace(const TraceReport& report) {
  std::string why;
  for (const auto* dropped : {&report.bad, &report.left_out})
    for (const auto& rows : *dropped)
      why +=
          fmt::format("{}{} rows dropped ({})", why.empty() ? "; " : ", ", rows.count, rows.reason);
  return {report.file + ": has no jobs" + why};
}

Error nothing_behind(std::uint64_t skip, std::uint64_t wanted, const std::string& file) {
  return {fmt::format("{}: skip: {} of {} jobs leaves none; possible: at most {}", file, skip,
                      wanted, wanted - 1)};
}

std::vector<std::uint32_t> submission_order(const Jobs& jobs, TraceReport& report) {
  std::vector<std::pair<Time, std::uint32_t>> keys(jobs.size());
  for (std::uint32_t i = 0; i < jobs.size(); ++i) keys[i] = {jobs[i].job.submitted, i};
  if (!std::ranges::is_sorted(keys)) {
    std::ranges::sort(keys);
    report.notes.push_back("sorted: the file is not in order of submission");
  }
  std::vector<std::uint32_t> order(jobs.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].second;
  return order;
}

bool leaves_out(const TraceOptions& options) {
  return options.skip > 0 || options.limit || options.from || options.until || options.gpus_max ||
         options.min_duration;
}

}  // namespace

Result<Trace> arrange(TraceRows&& rows, const TraceOptions& options) {
  auto& report = rows.report();
  auto& jobs = rows.jobs();
  const std::size_t all = jobs.size();
  if (!report.dated && options.start)
    for (auto& traced : jobs) move_by(traced, *options.start - Time{});
  if (const auto moved = rows.has_parents() ? wait_for_parents(jobs) : 0; moved != 0)
    report.notes.push_back(
        fmt::format("{} jobs were submitted before their parents and are moved to them", moved));
  auto order = submission_order(jobs, report);
  Time first = order.empty() ? Time{} : jobs[order.front()].job.submitted;
  if (leaves_out(options) || !rows.gaps().empty()) {
    const RowSelection choice = select_rows(rows, order, options);
    first = choice.begin;
    if (choice.wanted > 0 && choice.wanted <= options.skip)
      return nothing_behind(options.skip, choice.wanted, report.file);
    if (rows.has_parents()) bridge_parents(jobs, choice.out);
    std::erase_if(order, [&](std::uint32_t i) { return choice.out[i]; });
  }
  if (order.empty()) return empty_trace(report);
  Trace trace{.jobs = collect(std::move(jobs), order), .report = std::move(report)};
  if (rows.has_parents()) renumber_parents(trace.jobs, order, all);
  trace.report.rows_kept = trace.jobs.size();
  note_odd_durations(settle(trace.jobs, first, trace.report.dated, options), trace.report);
  return trace;
}

}  // namespace penstock
