#include "report/measures/run_summary.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace penstock {

// The table of measures

namespace {

using Run = RunSummary;
using Site = SiteSummary;
constexpr auto kLower = Better::lower;
constexpr auto kHigher = Better::higher;
constexpr auto kNeither = Better::neither;

constexpr auto kRunMeasures = std::to_array<SummaryMeasure<Run>>({
    {"jobs_submitted", "jobs", &Run::jobs_submitted, kNeither, 0, "Jobs that entered the system."},
    {"jobs_finished", "jobs", &Run::jobs_finished, kHigher, 0,
     "Jobs that left the system, completed or killed; all means and percentiles are over these."},
    {"jobs_unfinished", "jobs", &Run::jobs_unfinished, kLower, 0,
     "Jobs that had entered the system and not left it when the run ended; no mean counts them."},
    {"jobs_killed", "jobs", &Run::jobs_killed, kLower, 0,
     "Finished jobs that were killed because they ran into the time they had asked for."},
    {"jct_mean_s", "s", &Run::jct_mean_s, kLower, 2,
     "Mean job completion time, which is finish minus submission."},
    {"jct_p50_s", "s", &Run::jct_p50_s, kLower, 2,
     "Median job completion time by nearest rank: the smallest one that at least 50 % of the jobs "
     "do not exceed (beyond 131072 jobs to within 0.05 %)."},
    {"jct_p95_s", "s", &Run::jct_p95_s, kLower, 2,
     "95th percentile of the job completion time, counted like the median."},
    {"jct_p99_s", "s", &Run::jct_p99_s, kLower, 2,
     "99th percentile of the job completion time, counted like the median."},
    {"wait_mean_s", "s", &Run::wait_mean_s, kLower, 2,
     "Mean of first start minus submission; time back in the queue after a preemption is not in "
     "it."},
    {"bounded_slowdown_mean", "ratio", &Run::bounded_slowdown_mean, kLower, 2,
     "Mean of max(1, (finish - submission) / max(held, 10 s)), where held is the time for which "
     "the job held GPUs over all its runs, so waiting after a preemption counts as delay."},
    {"cost_slowdown_mean", "ratio", &Run::cost_slowdown_mean, kLower, 2,
     "Mean bounded slowdown with each job weighed by what it paid for energy and rent (by 0 if "
     "prices made that negative), or by its GPU-time if no job paid anything."},
    {"makespan_s", "s", &Run::makespan_s, kLower, 2, "First submission to last finish."},
    {"workflow_makespan_mean_s", "s", &Run::workflow_makespan_mean_s, kLower, 2,
     "Mean over workflows, which are groups with a job that waits for another, of first submission "
     "to last finish in the group; null if there are none."},
    {"gpu_utilization", "ratio", &Run::gpu_utilization, kHigher, 1,
     "GPU-time held by jobs divided by owned GPUs times makespan."},
    {"energy_kwh", "kWh", &Run::energy_kwh, kLower, 2,
     "Energy of all sites: jobs, idle GPUs and nodes, cooling (PUE) included, and transfer_kwh."},
    {"energy_idle_kwh", "kWh", &Run::energy_idle_kwh, kLower, 2,
     "The part of energy_kwh drawn by GPUs that no job held, awake or asleep."},
    {"energy_budget_use", "ratio", &Run::energy_budget_use, kNeither, 1,
     "energy_kwh divided by the policy's energy budget for the whole run; null without one."},
    {"energy_cost", "money", &Run::energy_cost, kLower, 2,
     "What the energy of the sites cost at each one's price at each moment, transfers not "
     "included."},
    {"rent_cost", "money", &Run::rent_cost, kLower, 2,
     "What nodes with a table of rent cost while awake, used or not; null if there are none."},
    {"carbon_kg", "kg", &Run::carbon_kg, kLower, 2,
     "CO2 equivalent of energy_kwh at each site's carbon intensity at each moment."},
    {"carbon_cost", "money", &Run::carbon_cost, kLower, 2,
     "carbon_kg times the scenario's carbon price; null without such a price."},
    {"tardiness_mean_s", "s", &Run::tardiness_mean_s, kLower, 2,
     "Mean of max(0, finish - deadline) over finished jobs with a deadline; null if there are "
     "none."},
    {"tardiness_cost", "money", &Run::tardiness_cost, kLower, 2,
     "Sum of tardiness times the job's own weight; null if no finished job has a deadline."},
    {"deadline_misses", "jobs", &Run::deadline_misses, kLower, 0,
     "Finished jobs that ended after their deadline; null if none has a deadline."},
    {"transfers", "times", &Run::transfers, kNeither, 0,
     "How often a job's files were sent to another site."},
    {"transfer_gb", "GB", &Run::transfer_gb, kNeither, 1, "What was sent between sites in all."},
    {"transfer_kwh", "kWh", &Run::transfer_kwh, kLower, 2,
     "The part of energy_kwh that the network used for it."},
    {"transfer_carbon_kg", "kg", &Run::transfer_carbon_kg, kLower, 2,
     "The part of carbon_kg that belongs to transfer_kwh, at the sender's carbon intensity when "
     "sending began."},
    {"transfer_cost", "money", &Run::transfer_cost, kLower, 2,
     "Fees for sending files, and what transfer_kwh cost at the sender's price when sending began; "
     "0 where there is one site or nothing moves."},
    {"total_cost", "money", &Run::total_cost, kLower, 2,
     "energy_cost + rent_cost + carbon_cost + tardiness_cost + transfer_cost, where null counts as "
     "0."},
    {"predicted_cost", "money", &Run::predicted_cost, kNeither, 2,
     "What energy and rent of finished jobs would have cost, had jobs got on and drawn as believed "
     "when they began or changed their runs and done what users said; null if nothing is believed "
     "of any."},
    {"prediction_error", "ratio", &Run::prediction_error, kLower, 3,
     "How far predicted_cost is from what these jobs really paid for energy and rent, divided by "
     "it; null without one."},
    {"prediction_error_job_mean", "ratio", &Run::prediction_error_job_mean, kLower, 3,
     "Mean over these jobs of how far each prediction is from what the job paid, divided by the "
     "prediction."},
    {"utility", "ratio", &Run::utility, kHigher, 3,
     "gpu_utilization minus relative_cost, relative_carbon, relative_transfer and late_share, each "
     "times its weight in [utility]; null without jobs that have a home."},
    {"relative_cost", "ratio", &Run::relative_cost, kLower, 3,
     "energy_cost + rent_cost over that of a run in which jobs stay at home: router local, with "
     "the "
     "site policy of the first run."},
    {"relative_carbon", "ratio", &Run::relative_carbon, kLower, 3,
     "carbon_kg over that of the same run."},
    {"relative_transfer", "ratio", &Run::relative_transfer, kLower, 3,
     "transfer_cost over the energy_cost + rent_cost of the same run, which sends nothing."},
    {"late_share", "ratio", &Run::late_share, kLower, 3, "deadline_misses over jobs_submitted."},
    {"preemptions", "times", &Run::preemptions, kLower, 0,
     "How often a policy stopped a running job that later went on."},
    {"interruptions", "times", &Run::interruptions, kLower, 0,
     "How often a job lost its run to a failed node."},
    {"resizes", "times", &Run::resizes, kNeither, 0,
     "How often a running job was given another number of GPUs."},
    {"migrations", "times", &Run::migrations, kNeither, 0,
     "How often a job went on at another site or on other GPUs by order of the policy."},
    {"node_sleeps", "times", &Run::node_sleeps, kNeither, 0, "How often a node was put to sleep."},
    {"decisions", "times", &Run::decisions, kNeither, 0, "How often the policy was asked."},
    {"events", "events", &Run::events, kNeither, 0, "What happened in the world, one by one."},
    {"bound_jct_mean_s", "s", &Run::bound_jct_mean_s, kNeither, 2,
     "Mean completion time that no policy could go below; null without --with-bound."},
    {"bound_energy_kwh", "kWh", &Run::bound_energy_kwh, kNeither, 2,
     "Energy that no policy could go below; null without --with-bound."},
    {"bound_total_cost", "money", &Run::bound_total_cost, kNeither, 2,
     "Total cost that no policy could go below; null without --with-bound."},
    {"bound_carbon_kg", "kg", &Run::bound_carbon_kg, kNeither, 2,
     "Carbon that no policy could go below; null without --with-bound."},
    {"bound_utility", "ratio", &Run::bound_utility, kNeither, 3,
     "Utility that no run could go above that preempts no job and takes at most half as long again "
     "as these, however much its policy knew; null without --with-bound or without a utility."},
    {"gap_jct", "ratio", &Run::gap_jct, kLower, 3,
     "jct_mean_s divided by bound_jct_mean_s, minus 1; null without a bound above 0 or if a job "
     "did not finish."},
    {"gap_energy", "ratio", &Run::gap_energy, kLower, 3,
     "energy_kwh divided by bound_energy_kwh, minus 1; null like gap_jct."},
    {"gap_cost", "ratio", &Run::gap_cost, kLower, 3,
     "total_cost divided by bound_total_cost, minus 1; null like gap_jct."},
    {"gap_carbon", "ratio", &Run::gap_carbon, kLower, 3,
     "carbon_kg divided by bound_carbon_kg, minus 1; null like gap_jct."},
    {"decision_mean_us", "us", &Run::decision_mean_us, kLower, 2,
     "Mean wall-clock time of one decision.", true},
    {"decision_p99_us", "us", &Run::decision_p99_us, kLower, 2,
     "99th percentile of the wall-clock time of one decision.", true},
    {"wall_s", "s", &Run::wall_s, kLower, 2, "Wall-clock time of the run.", true},
    {"jobs_per_s", "jobs/s", &Run::jobs_per_s, kHigher, 0, "jobs_finished divided by wall_s.",
     true},
    {"peak_rss_mb", "MB", &Run::peak_rss_mb, kLower, 1,
     "Largest resident memory of the whole program until the run ended, in 10^6 bytes.", true},
});

constexpr auto kSiteMeasures = std::to_array<SummaryMeasure<Site>>({
    {"nodes", "nodes", &Site::nodes, kNeither, 0, "Nodes owned."},
    {"gpus", "GPUs", &Site::gpus, kNeither, 0, "GPUs owned."},
    {"gpu_utilization", "ratio", &Site::gpu_utilization, kHigher, 1,
     "GPU-time held by jobs at the site divided by its GPUs times the run's makespan."},
    {"energy_kwh", "kWh", &Site::energy_kwh, kLower, 2,
     "energy_jobs_kwh + energy_idle_kwh + energy_overhead_kwh, each with cooling (PUE), and "
     "transfer_kwh."},
    {"energy_jobs_kwh", "kWh", &Site::energy_jobs_kwh, kLower, 2,
     "Drawn by GPUs held by jobs, or by nodes with a table of power while a job is on them."},
    {"energy_idle_kwh", "kWh", &Site::energy_idle_kwh, kLower, 2,
     "Drawn by GPUs that no job held, awake or asleep."},
    {"energy_overhead_kwh", "kWh", &Site::energy_overhead_kwh, kLower, 2,
     "Drawn by the nodes around the GPUs, and by unused nodes with a table of power."},
    {"energy_cost", "money", &Site::energy_cost, kLower, 2,
     "What its energy cost at the site's price at each moment, transfers not included."},
    {"rent_cost", "money", &Site::rent_cost, kLower, 2,
     "What the site's nodes with a table of rent cost while awake; null if there are none."},
    {"carbon_kg", "kg", &Site::carbon_kg, kLower, 2,
     "CO2 equivalent of energy_kwh at the site's carbon intensity at each moment."},
    {"transfer_gb", "GB", &Site::transfer_gb, kNeither, 1, "What jobs took to other sites."},
    {"transfer_kwh", "kWh", &Site::transfer_kwh, kLower, 2, "What the network used for that."},
    {"transfer_carbon_kg", "kg", &Site::transfer_carbon_kg, kLower, 2,
     "The part of carbon_kg that belongs to transfer_kwh."},
    {"transfer_cost", "money", &Site::transfer_cost, kLower, 2,
     "Fees for it, and what transfer_kwh cost."},
});

}  // namespace

std::span<const SummaryMeasure<RunSummary>> run_measures() {
  return kRunMeasures;
}

std::span<const SummaryMeasure<SiteSummary>> site_measures() {
  return kSiteMeasures;
}

const SummaryMeasure<RunSummary>& measure_of(std::optional<double> RunSummary::* value) {
  const auto* row = std::ranges::find(kRunMeasures, value, &SummaryMeasure<Run>::value);
  PENSTOCK_CHECK(row != kRunMeasures.end());
  return *row;
}

// Utility

namespace {

std::optional<double> over(std::optional<double> value, double reference) {
  if (!value || !(reference > 0)) return std::nullopt;
  return *value / reference;
}

double machines_cost(const RunSummary& run) {
  return run.energy_cost.value_or(0) + run.rent_cost.value_or(0);
}

}  // namespace

void fill_utility(RunSummary& run, const RunSummary& local, const UtilityWeights& weights) {
  const double cost = machines_cost(local);
  run.relative_cost = over(machines_cost(run), cost);
  run.relative_carbon = over(run.carbon_kg, local.carbon_kg.value_or(0));
  run.relative_transfer = over(run.transfer_cost, cost);
  run.late_share = over(run.deadline_misses.value_or(0), run.jobs_submitted.value_or(0));
  if (!run.gpu_utilization || !run.relative_cost || !run.relative_carbon ||
      !run.relative_transfer || !run.late_share)
    return;
  run.utility = weights.utilization * *run.gpu_utilization - weights.cost * *run.relative_cost -
                weights.carbon * *run.relative_carbon - weights.transfer * *run.relative_transfer -
                weights.late * *run.late_share;
}

// Jobs left unfinished

bool is_beaten_by_leaving_jobs(const RunSummary& run, std::span<const RunSummary> runs) {
  return std::ranges::any_of(runs, [&](const RunSummary& other) {
    return other.jobs_unfinished.value_or(0) < run.jobs_unfinished.value_or(0);
  });
}

// Runs of like nodes

namespace {

/// The nodes from `at` on that are alike and under one switch.
NodeRun one_rack(const Cluster& cluster, std::uint32_t at, std::uint32_t end) {
  const Node& first = cluster.nodes[at];
  std::uint32_t count = 0;
  for (; at < end; ++at, ++count) {
    const Node& node = cluster.nodes[at];
    if (node.rack != first.rack || node.gpus != first.gpus || node.type != first.type) break;
  }
  return {count, first.gpus, cluster.type(first).name, count};
}

bool goes_on(const NodeRun& run, const NodeRun& rack) {
  return run.gpus == rack.gpus && run.type == rack.type && run.nodes % run.per_rack == 0 &&
         rack.nodes <= run.per_rack;
}

}  // namespace

std::vector<NodeRun> node_runs(const Cluster& cluster, SiteId site) {
  std::vector<NodeRun> runs;
  std::uint32_t at = cluster.sites[site.index].first_node.index;
  const std::uint32_t end = at + cluster.sites[site.index].nodes;
  while (at < end) {
    NodeRun rack = one_rack(cluster, at, end);
    at += rack.nodes;
    if (!runs.empty() && goes_on(runs.back(), rack))
      runs.back().nodes += rack.nodes;
    else
      runs.push_back(std::move(rack));
  }
  return runs;
}

}  // namespace penstock
