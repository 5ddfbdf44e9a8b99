#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/cluster.h"
#include "model/costs.h"

namespace penstock {

/// Like nodes that follow each other: so many of them, under switches of so many each (the last
/// may have fewer).
struct NodeRun {
  std::uint32_t nodes = 0;
  std::uint32_t gpus = 0;  ///< of each
  std::string type{};
  std::uint32_t per_rack = 0;
  friend bool operator==(const NodeRun&, const NodeRun&) = default;
};

/// The nodes of a site in order, in as few runs as say it.
std::vector<NodeRun> node_runs(const Cluster& cluster, SiteId site);

/// The results of one site in a run. Absent values are undefined and shown as such.
struct SiteSummary {
  std::string name{};
  std::optional<double> nodes{};
  std::optional<double> gpus{};
  std::optional<double> gpu_utilization{};
  std::optional<double> energy_kwh{};
  std::optional<double> energy_jobs_kwh{};
  std::optional<double> energy_idle_kwh{};
  std::optional<double> energy_overhead_kwh{};
  std::optional<double> energy_cost{};
  std::optional<double> rent_cost{};
  std::optional<double> carbon_kg{};
  std::optional<double> transfer_gb{};
  std::optional<double> transfer_kwh{};
  std::optional<double> transfer_carbon_kg{};
  std::optional<double> transfer_cost{};
  std::vector<double> gpu_hours_by_hour{};   ///< of the day in UTC; empty unless asked for
  std::string carbon_kind{};                 ///< "average" or "marginal"; empty if unknown
  std::optional<std::uint32_t> first_gpu{};  ///< its lowest number in the files of the run
  std::vector<NodeRun> node_runs{};          ///< empty if unknown
};

/// One run in numbers. Fields are named and counted as in summary.json; what each means is defined
/// once, in run_summary.cpp. Absent values are undefined.
struct RunSummary {
  std::string policy{};
  std::map<std::string, std::string, std::less<>> options{};
  std::optional<Time> time_origin{};  ///< t = 0 of jobs.csv and timeline.csv
  /// Where these are, seen from summary.json: empty if beside it. Absent if there are none.
  std::optional<std::string> dir{};

  std::optional<double> jobs_submitted{};
  std::optional<double> jobs_finished{};
  std::optional<double> jobs_unfinished{};
  std::optional<double> jobs_killed{};
  std::optional<double> jct_mean_s{};
  std::optional<double> jct_p50_s{};
  std::optional<double> jct_p95_s{};
  std::optional<double> jct_p99_s{};
  std::optional<double> wait_mean_s{};
  std::optional<double> bounded_slowdown_mean{};
  std::optional<double> cost_slowdown_mean{};
  std::optional<double> makespan_s{};
  std::optional<double> workflow_makespan_mean_s{};
  std::optional<double> gpu_utilization{};
  std::optional<double> energy_kwh{};
  std::optional<double> energy_idle_kwh{};
  std::optional<double> energy_budget_use{};
  std::optional<double> energy_cost{};
  std::optional<double> rent_cost{};
  std::optional<double> carbon_kg{};
  std::optional<double> carbon_cost{};
  std::optional<double> tardiness_mean_s{};
  std::optional<double> tardiness_cost{};
  std::optional<double> deadline_misses{};
  std::optional<double> transfers{};
  std::optional<double> transfer_gb{};
  std::optional<double> transfer_kwh{};
  std::optional<double> transfer_carbon_kg{};
  std::optional<double> transfer_cost{};
  std::optional<double> total_cost{};
  std::optional<double> predicted_cost{};
  std::optional<double> prediction_error{};
  std::optional<double> prediction_error_job_mean{};
  std::optional<double> utility{};
  std::optional<double> relative_cost{};
  std::optional<double> relative_carbon{};
  std::optional<double> relative_transfer{};
  std::optional<double> late_share{};
  std::optional<double> preemptions{};
  std::optional<double> interruptions{};
  std::optional<double> resizes{};
  std::optional<double> migrations{};
  std::optional<double> node_sleeps{};
  std::optional<double> decisions{};
  std::optional<double> events{};
  std::optional<double> bound_jct_mean_s{};
  std::optional<double> bound_energy_kwh{};
  std::optional<double> bound_total_cost{};
  std::optional<double> bound_carbon_kg{};
  std::optional<double> bound_utility{};
  std::optional<double> gap_jct{};
  std::optional<double> gap_energy{};
  std::optional<double> gap_cost{};
  std::optional<double> gap_carbon{};

  std::vector<SiteSummary> sites{};

  // Measured on the machine that ran it: these differ from run to run.
  std::optional<double> decision_mean_us{};
  std::optional<double> decision_p99_us{};
  std::optional<double> wall_s{};
  std::optional<double> jobs_per_s{};
  std::optional<double> peak_rss_mb{};
};

enum class Better { lower, higher, neither };

/// One row of the table of measures: summary.json, its `definitions`, the terminal
/// table and docs/formats/output.md all follow it.
template <class Of>
struct SummaryMeasure {
  std::string_view name;  ///< the key in summary.json
  std::string_view unit;  ///< "money" stands for the scenario's currency
  std::optional<double> Of::* value;
  Better better = Better::neither;
  int digits = 0;                 ///< most decimals worth showing a person
  std::string_view definition{};  ///< one sentence
  bool measured = false;          ///< by the wall clock: not the same in every run
};

std::span<const SummaryMeasure<RunSummary>> run_measures();
std::span<const SummaryMeasure<SiteSummary>> site_measures();

/// Whether another of the runs left fewer jobs unfinished: then this one gets no star, since its
/// means are over fewer jobs and the work that it left undone cost it nothing.
bool is_beaten_by_leaving_jobs(const RunSummary& run, std::span<const RunSummary> runs);

/// The row of one field, which must be in the table.
const SummaryMeasure<RunSummary>& measure_of(std::optional<double> RunSummary::* value);

/// Fills the utility of a run and its terms: cost and carbon relative to those of `local`, a run
/// in which jobs stayed at home; transfers relative to the same cost, as nothing is sent there.
/// A term is absent if its reference is not above 0, and then the utility is.
void fill_utility(RunSummary& run, const RunSummary& local, const UtilityWeights& weights);

}  // namespace penstock
