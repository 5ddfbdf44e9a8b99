#include "report/measures/metrics.h"

#include <gtest/gtest.h>

#include <numeric>

#include "report/three_jobs.h"

namespace penstock {
namespace {

TEST(Metrics, count_jobs_that_ended_and_jobs_that_came) {
  const RunSummary run = ThreeJobs().metrics().summary(ThreeJobs().totals());
  EXPECT_EQ(run.jobs_submitted, 4);  // one has not ended
  EXPECT_EQ(run.jobs_finished, 3);
  EXPECT_EQ(run.jobs_killed, 1);
  EXPECT_EQ(run.preemptions, 2);
  EXPECT_EQ(run.interruptions, 1);
  EXPECT_EQ(run.resizes, 0);
  EXPECT_EQ(run.migrations, 0);
  EXPECT_EQ(run.node_sleeps, 5);
  EXPECT_EQ(run.decisions, 7);
  EXPECT_EQ(run.events, 9);
}

TEST(Metrics, measure_completion_from_submission_to_finish) {
  // 100 - 0, 140 - 10 and 160 - 20 s: 100, 130, 140.
  const RunSummary run = ThreeJobs().metrics().summary(ThreeJobs().totals());
  EXPECT_DOUBLE_EQ(*run.jct_mean_s, 370.0 / 3);
  EXPECT_EQ(run.jct_p50_s, 130);
  EXPECT_EQ(run.jct_p95_s, 140);
  EXPECT_EQ(run.jct_p99_s, 140);
}

TEST(Metrics, measure_waiting_until_the_first_start) {
  // 0 - 0, 100 - 10 and 140 - 20 s: (0 + 90 + 120) / 3.
  EXPECT_EQ(ThreeJobs().metrics().summary(ThreeJobs().totals()).wait_mean_s, 70);
}

TEST(Metrics, bound_the_slowdown_below_by_one_and_short_runs_by_ten_seconds) {
  // 100/100 = 1, 130/40 = 3.25, and 140/max(4, 10) = 14: 18.25 / 3.
  const RunSummary run = ThreeJobs().metrics().summary(ThreeJobs().totals());
  EXPECT_DOUBLE_EQ(*run.bounded_slowdown_mean, 18.25 / 3);
  EXPECT_EQ(bounded_slowdown(3s, 3s), 1);  // 3/10 is no speed-up
}

TEST(Metrics, count_the_queue_between_two_runs_as_slowdown_but_not_as_wait) {
  const Time t0{};
  const Job job{.submitted = t0};
  const Placement where{{GpuId{0}, 1}};
  Metrics metrics;  // runs 0 to 50 and, after a preemption, 150 to 200
  metrics.add({.job = job, .first_start = t0, .finish = t0 + 200s, .held = 100s, .where = where});
  const RunSummary run = metrics.summary({});
  EXPECT_EQ(run.wait_mean_s, 0);
  EXPECT_EQ(run.bounded_slowdown_mean, 2);
}

TEST(Metrics, weigh_slowdowns_by_what_jobs_paid) {
  // (1 x 0.005 + 3.25 x 0.004 + 14 x 0.0001) / 0.0091.
  const RunSummary run = ThreeJobs().metrics().summary(ThreeJobs().totals());
  EXPECT_NEAR(*run.cost_slowdown_mean, 0.0194 / 0.0091, 1e-12);
}

TEST(Metrics, weigh_slowdowns_by_gpu_time_if_nobody_paid) {
  Metrics metrics;
  const ThreeJobs three;
  for (JobRecord record : three.records()) {
    record.bill = {.cost = Money(-1)};
    metrics.add(record);
  }
  // 1 x 200 + 3.25 x 160 + 14 x 4 over 364 GPU-seconds.
  EXPECT_NEAR(*metrics.summary(three.totals()).cost_slowdown_mean, 776.0 / 364, 1e-12);
}

TEST(Metrics, measure_workflows_from_first_submission_to_last_finish) {
  Metrics metrics;
  ThreeJobs three;
  three.jobs[0].group = three.jobs[1].group = "w-1";
  three.jobs[1].parents = {JobId{0}};
  three.jobs[2].group = "queue";  // of jobs that wait for none: not a workflow
  for (const JobRecord& record : three.records()) metrics.add(record);
  EXPECT_EQ(metrics.summary(three.totals()).workflow_makespan_mean_s, 140);
}

TEST(Metrics, measure_makespan_and_how_busy_the_gpus_were_in_it) {
  // Last finish 160 s; busy 2 x 100 + 4 x 40 + 1 x 4 = 364 of 4 x 160 = 640 GPU-seconds.
  const RunSummary run = ThreeJobs().metrics().summary(ThreeJobs().totals());
  EXPECT_EQ(run.makespan_s, 160);
  EXPECT_DOUBLE_EQ(*run.gpu_utilization, 364.0 / 640);
}

TEST(Metrics, believe_the_caller_about_busy_gpus_if_he_knows) {
  RunTotals totals = ThreeJobs().totals();
  totals.sites[0].busy_gpu_seconds = 320;
  EXPECT_EQ(ThreeJobs().metrics().summary(totals).gpu_utilization, 0.5);
  EXPECT_EQ(ThreeJobs().metrics().summary(totals).sites[0].gpu_utilization, 0.5);
}

TEST(Metrics, add_up_energy_money_and_carbon_of_all_sites) {
  RunTotals totals = ThreeJobs().totals();
  totals.sites.push_back(totals.sites[0]);
  totals.sites[1].name = "oslo";
  const RunSummary run = ThreeJobs().metrics().summary(totals);
  EXPECT_DOUBLE_EQ(*run.energy_kwh, 3.5);     // 2 x (1 + 0.5 + 0.25)
  EXPECT_DOUBLE_EQ(*run.energy_idle_kwh, 1);  // 2 x 0.5
  EXPECT_DOUBLE_EQ(*run.energy_cost, 1);      // 2 x (0.25 + 0.125 + 0.125)
  EXPECT_DOUBLE_EQ(*run.carbon_kg, 1.2);      // 2 x (400 + 150 + 50) g
  EXPECT_DOUBLE_EQ(*run.carbon_cost, 0.12);   // 1.2 kg at 100 a tonne
}

TEST(Metrics, split_each_site_by_who_used_it) {
  RunTotals totals = ThreeJobs().totals();
  totals.sites.push_back({.name = "oslo", .nodes = 1, .gpus = 8});
  const RunSummary run = ThreeJobs().metrics().summary(totals);
  ASSERT_EQ(run.sites.size(), 2u);
  const SiteSummary& site = run.sites[0];
  EXPECT_EQ(site.name, "frankfurt");
  EXPECT_EQ(site.nodes, 2);
  EXPECT_EQ(site.gpus, 4);
  EXPECT_EQ(site.energy_jobs_kwh, 1);
  EXPECT_EQ(site.energy_idle_kwh, 0.5);
  EXPECT_EQ(site.energy_overhead_kwh, 0.25);
  EXPECT_EQ(site.energy_kwh, 1.75);
  EXPECT_EQ(site.energy_cost, 0.5);
  EXPECT_DOUBLE_EQ(*site.carbon_kg, 0.6);
  EXPECT_DOUBLE_EQ(*site.gpu_utilization, 364.0 / 640);
  EXPECT_EQ(run.sites[1].gpu_utilization, 0);
  EXPECT_DOUBLE_EQ(*run.gpu_utilization, 364.0 / (12 * 160));
}

TEST(Metrics, count_lateness_over_jobs_with_a_deadline_only) {
  // Late by 140 - 120 = 20 s and by 0 s: mean 10 s, cost 20 x 0.5, one miss.
  const RunSummary run = ThreeJobs().metrics().summary(ThreeJobs().totals());
  EXPECT_EQ(run.tardiness_mean_s, 10);
  EXPECT_EQ(run.tardiness_cost, 10);
  EXPECT_EQ(run.deadline_misses, 1);
}

TEST(Metrics, total_the_cost_of_energy_carbon_lateness_and_transfers) {
  // 0.5 + 0.6 kg x 0.1 a kg + 10 + 2.
  RunTotals totals = ThreeJobs().totals();
  totals.sites[0].sent = {.count = 1, .gigabytes = 40, .cost = Money(0.5), .fee = Money(1.5)};
  const RunSummary run = ThreeJobs().metrics().summary(totals);
  EXPECT_EQ(run.transfers, 1);
  EXPECT_EQ(run.transfer_gb, 40);
  EXPECT_EQ(run.transfer_cost, 2);
  EXPECT_DOUBLE_EQ(*run.total_cost, 12.56);
}

TEST(Metrics, count_rent_where_nodes_are_rented_and_into_the_total) {
  RunTotals totals = ThreeJobs().totals();
  EXPECT_EQ(ThreeJobs().metrics().summary(totals).rent_cost, std::nullopt);
  totals.sites.push_back({.name = "oslo", .rents = true});
  totals.sites[1].jobs.rent = Money(3);
  totals.sites[1].overhead.rent = Money(1);
  const RunSummary run = ThreeJobs().metrics().summary(totals);
  EXPECT_EQ(run.rent_cost, 4);
  EXPECT_EQ(run.sites[0].rent_cost, std::nullopt);
  EXPECT_EQ(run.sites[1].rent_cost, 4);
  EXPECT_EQ(run.energy_cost, 0.5) << "rent is not in it";
  EXPECT_DOUBLE_EQ(*run.total_cost, 14.56);  // 0.5 + 4 + 0.06 + 10
}

TEST(Metrics, hold_predictions_against_what_was_paid) {
  // 4 and 2 were predicted of two jobs that paid 5 and 1; the third has no prediction.
  const ThreeJobs three;
  std::vector<JobRecord> records = three.records();
  records[0].predicted = Money(4);
  records[0].bill = {.cost = Money(3), .rent = Money(2)};
  records[1].predicted = Money(2);
  records[1].bill = {.cost = Money(1)};
  Metrics metrics;
  metrics.add(records[0]);
  metrics.add(records[2]);
  EXPECT_EQ(metrics.summary(three.totals()).prediction_error, 0.25);
  metrics.add(records[1]);
  const RunSummary run = metrics.summary(three.totals());
  EXPECT_EQ(run.predicted_cost, 6);
  EXPECT_EQ(run.prediction_error, 0);
  EXPECT_EQ(run.prediction_error_job_mean, 0.375);  // of 1/4 and 1/2
}

TEST(Metrics, have_no_prediction_error_where_nothing_was_believed_or_all_is_free) {
  const ThreeJobs three;
  EXPECT_EQ(three.metrics().summary(three.totals()).predicted_cost, std::nullopt);
  EXPECT_EQ(three.metrics().summary(three.totals()).prediction_error, std::nullopt);
  Metrics metrics;
  JobRecord free = three.records()[0];
  free.bill = {};
  free.predicted = Money(0);
  metrics.add(free);
  const RunSummary run = metrics.summary(three.totals());
  EXPECT_EQ(run.predicted_cost, 0);
  EXPECT_EQ(run.prediction_error, std::nullopt);
  EXPECT_EQ(run.prediction_error_job_mean, std::nullopt);
}

TEST(Metrics, count_jobs_that_never_ended_and_the_use_of_a_budget) {
  RunTotals totals = ThreeJobs().totals();
  totals.jobs_submitted = 5;
  totals.energy_budget = Joules(2 * kJoulesPerKwh);
  const RunSummary run = ThreeJobs().metrics().summary(totals);
  EXPECT_EQ(run.jobs_unfinished, 2);
  EXPECT_DOUBLE_EQ(*run.energy_budget_use, 1.75 / 2);
  totals.energy_budget.reset();
  EXPECT_EQ(ThreeJobs().metrics().summary(totals).energy_budget_use, std::nullopt);
}

TEST(Metrics, leave_undefined_what_no_job_defines) {
  RunTotals totals;
  totals.sites = {{.name = "empty", .nodes = 1, .gpus = 8}};
  const RunSummary run = Metrics().summary(totals);
  EXPECT_EQ(run.jobs_finished, 0);
  for (const auto& value :
       {run.jct_mean_s, run.jct_p50_s, run.wait_mean_s, run.bounded_slowdown_mean, run.makespan_s,
        run.gpu_utilization, run.sites[0].gpu_utilization, run.tardiness_mean_s, run.tardiness_cost,
        run.deadline_misses, run.carbon_cost, run.utility, run.decision_mean_us,
        run.decision_p99_us, run.wall_s, run.jobs_per_s, run.peak_rss_mb})
    EXPECT_EQ(value, std::nullopt);
  EXPECT_EQ(run.total_cost, 0);
}

TEST(Metrics, leave_lateness_undefined_when_no_job_has_a_deadline) {
  const ThreeJobs three;
  Metrics metrics;
  metrics.add(three.records()[0]);
  const RunSummary run = metrics.summary(three.totals());
  EXPECT_EQ(run.tardiness_mean_s, std::nullopt);
  EXPECT_EQ(run.tardiness_cost, std::nullopt);
  EXPECT_EQ(run.deadline_misses, std::nullopt);
  EXPECT_DOUBLE_EQ(*run.total_cost, 0.56);
}

TEST(Metrics, report_what_deciding_took_on_this_machine) {
  RunTotals totals = ThreeJobs().totals();
  for (const int ns : {1000, 2000, 9000}) totals.decision_ns.add(ns);
  totals.wall_s = 0.5;
  totals.peak_rss_mb = 12;
  const RunSummary run = ThreeJobs().metrics().summary(totals);
  EXPECT_EQ(run.decision_mean_us, 4);
  EXPECT_EQ(run.decision_p99_us, 9);
  EXPECT_EQ(run.jobs_per_s, 6);
  EXPECT_EQ(run.peak_rss_mb, 12);
}

}  // namespace

namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

const Time kMidnight{std::chrono::sys_days(std::chrono::year(2021) / 7 / 12)};

TEST(HourlyUse, lays_what_is_held_on_the_hours_of_the_day) {
  Cluster cluster;
  cluster.types.resize(1);
  add_site(cluster, "empty", {{.count = 1, .gpus = 2}});
  add_site(cluster, "busy", {{.count = 1, .gpus = 2}});
  const Time start = kMidnight + 22h;
  State state{cluster, {}, start};
  HourlyUse use(2, start);
  state.admit({.id = JobId{0}, .gpus = 2, .requested = 10h});
  state.apply(JobSubmitted{JobId{0}}, start);
  use.advance(start + 30min, state);
  state.apply(Start{JobId{0}, {{GpuId{2}, 2}}}, start + 30min);
  use.advance(start + 3h, state);
  state.apply(JobFinished{JobId{0}}, start + 3h);
  use.advance(start + 10h, state);
  const ByHour& busy = use.sites()[1];
  EXPECT_EQ(busy[22], 1);
  EXPECT_EQ(busy[23], 2);
  EXPECT_EQ(busy[0], 2);
  EXPECT_EQ(std::accumulate(busy.begin(), busy.end(), 0.0), 5);
  EXPECT_EQ(use.sites()[0], ByHour{});
}

TEST(MeanByHour, averages_each_hour_over_the_days) {
  std::vector<Signal<Price>::Step> steps;
  for (int h = 0; h < 48; ++h) steps.push_back({kMidnight + h * 1h, Price(h)});
  const Signal<Price> price(std::move(steps));
  const ByHour means = mean_by_hour(price, kMidnight + 12h, kMidnight + 36h + 30min);
  EXPECT_DOUBLE_EQ(means[11], 35);
  EXPECT_DOUBLE_EQ(means[12], (12 + 36 * 0.5) / 1.5);
  EXPECT_DOUBLE_EQ(means[13], 13);
}

TEST(MeanByHour, has_a_mean_for_hours_that_do_not_come_up) {
  const auto price = Signal<Price>::constant(Price(3));
  EXPECT_EQ(mean_by_hour(price, kMidnight, kMidnight + 2h)[20], 3);
}

}  // namespace

}  // namespace penstock
