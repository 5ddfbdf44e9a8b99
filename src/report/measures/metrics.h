#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/bill.h"
#include "model/record.h"
#include "model/signal.h"
#include "model/state.h"
#include "report/measures/run_summary.h"
#include "report/measures/statistics.h"

namespace penstock {

/// What a site used over a whole run, by cause.
struct SiteTotals {
  std::string name{};
  std::uint32_t nodes = 0;
  std::uint32_t gpus = 0;
  Bill jobs{};
  Bill idle{};
  Bill overhead{};
  TransferBill sent{};  ///< files that left it
  bool rents = false;   ///< some of its nodes have a table of rent
  /// Absent: taken from the job records, which is exact as long as no job changes
  /// its size or its site.
  std::optional<double> busy_gpu_seconds{};
  std::string carbon_kind{};  ///< what the carbon series counts: "average" or "marginal"
  std::optional<std::uint32_t> first_gpu{};
  std::vector<NodeRun> node_runs{};
};

/// Totals of a run that job records do not hold, given once at the end.
struct RunTotals {
  std::string policy{};
  std::map<std::string, std::string, std::less<>> options{};
  std::vector<SiteTotals> sites{};  ///< indexed by SiteId
  std::uint64_t jobs_submitted = 0;
  std::optional<Time> first_submission{};
  std::optional<Money> carbon_price_per_tonne{};
  std::optional<Joules> energy_budget{};  ///< for the whole run
  std::uint64_t resizes = 0;
  std::uint64_t migrations = 0;
  std::uint64_t node_sleeps = 0;
  std::uint64_t events = 0;
  std::uint64_t decisions = 0;
  Quantiles decision_ns{};  ///< wall-clock time of each decision; empty if not measured
  std::optional<double> wall_s{};
  std::optional<double> peak_rss_mb{};
};

/// Turns ended jobs into the measures of a run, one at a time; keeps none of them.
class Metrics {
 public:
  void add(const JobRecord& record);
  RunSummary summary(const RunTotals& totals) const;

 private:
  struct WeighedMean {
    double weights = 0;
    double sum = 0;
    void add(double value, double weight);
  };
  /// The jobs of one group, as far as they have ended.
  struct GroupSpan {
    Time first_submission{};
    Time last_finish{};
    bool is_workflow = false;
  };
  void fill_times(RunSummary& run, const RunTotals& totals) const;
  void fill_deadlines(RunSummary& run) const;
  void fill_workflows(RunSummary& run) const;
  void add_to_group(const JobRecord& record);
  void add_prediction(Money predicted, Money paid);
  void fill_predictions(RunSummary& run) const;
  double busy_gpu_seconds(const RunTotals& totals, std::size_t site) const;

  std::uint64_t killed_ = 0;
  std::uint64_t preemptions_ = 0;
  std::uint64_t interruptions_ = 0;
  Quantiles completion_;  ///< ms
  Duration waited_{};     ///< summed over jobs
  double slowdowns_ = 0;  ///< summed over jobs
  WeighedMean by_cost_;
  WeighedMean by_gpu_time_;
  std::map<std::string, GroupSpan, std::less<>> groups_;  ///< of jobs that have a group
  std::optional<Time> last_finish_;
  std::vector<std::uint64_t> busy_gpu_ms_;  ///< indexed by SiteId
  std::uint64_t with_deadline_ = 0;
  std::uint64_t misses_ = 0;
  Duration tardiness_{};  ///< summed over jobs
  Money tardiness_cost_{};
  std::optional<Money> predicted_{};  ///< summed over jobs with a prediction
  Money paid_{};                      ///< the same, for energy and rent
  double prediction_errors_ = 0;      ///< summed over jobs
  std::uint64_t with_prediction_error_ = 0;
};

/// How much longer than its run a job took, counting runs below 10 s as 10 s.
double bounded_slowdown(Duration turnaround, Duration held);

/// Time past the deadline; nothing for a job without one.
std::optional<Duration> tardiness(const JobRecord& record);

/// A value for each hour of the day, in UTC.
using ByHour = std::array<double, 24>;

/// GPU-hours that jobs hold at each site, by hour of the day in UTC.
class HourlyUse {
 public:
  HourlyUse(std::size_t sites, Time start) : until_(start), sites_(sites) {}

  /// `state` has held since the last call, or since the start, until `now`.
  void advance(Time now, const State& state);

  std::span<const ByHour> sites() const { return sites_; }

 private:
  Time until_;
  std::vector<ByHour> sites_;  ///< indexed by SiteId
};

/// The mean of a signal at each hour of the day over [from, to), at least an hour apart: an hour
/// that does not come up there has the mean of all.
template <class Q>
ByHour mean_by_hour(const Signal<Q>& signal, Time from, Time to) {
  ByHour sums{};
  ByHour lengths{};
  for (Time at = from; at < to;) {
    const auto hour = std::chrono::floor<std::chrono::hours>(at);
    const Time next = std::min<Time>(to, hour + std::chrono::hours(1));
    const auto of_day = (hour - std::chrono::floor<std::chrono::days>(at)).count();
    sums.at(static_cast<std::size_t>(of_day)) += signal.integral(at, next);
    lengths.at(static_cast<std::size_t>(of_day)) += seconds(next - at);
    at = next;
  }
  const double all = signal.mean(from, to).value();
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums.at(i) = lengths.at(i) > 0 ? sums.at(i) / lengths.at(i) : all;
  return sums;
}

}  // namespace penstock
