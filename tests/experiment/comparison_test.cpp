#include "experiment/comparison.h"

#include <gtest/gtest.h>

#include "experiment/two_jobs.h"
#include "report/files/summary_json.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr Time kBegin{};

Comparison compare(const ExperimentSpec& spec, const RunOptions& options = {}) {
  const auto experiment = load_experiment(spec);
  EXPECT_TRUE(experiment) << (experiment ? "" : experiment.error().message);
  auto comparison = run_experiment(*experiment, options);
  EXPECT_TRUE(comparison) << (comparison ? "" : comparison.error().message);
  return *std::move(comparison);
}

/// All of a run but what the machine's own clock says.
std::string without_clocks(const Comparison& comparison) {
  std::vector<RunSummary> runs = comparison.summaries();
  for (RunSummary& run : runs)
    for (auto* clock : {&run.decision_mean_us, &run.decision_p99_us, &run.wall_s, &run.jobs_per_s,
                        &run.peak_rss_mb})
      clock->reset();
  return summary_json({}, runs);
}

TEST(RunExperiment, compares_two_policies_on_two_jobs) {
  const Comparison comparison = compare(two_jobs({{"fifo"}, {"sjf"}}));
  ASSERT_EQ(comparison.runs.size(), 2u);
  const RunSummary& fifo = comparison.runs[0].summary;
  const RunSummary& sjf = comparison.runs[1].summary;
  EXPECT_EQ(fifo.policy, "fifo");
  EXPECT_EQ(fifo.jct_mean_s, (10 + 11) / 2.0 * 3600);
  EXPECT_EQ(sjf.jct_mean_s, (1 + 11) / 2.0 * 3600);
  EXPECT_EQ(sjf.wait_mean_s, 1800);
  for (const RunSummary* run : {&fifo, &sjf}) {
    EXPECT_EQ(run->jobs_finished, 2);
    EXPECT_DOUBLE_EQ(*run->energy_kwh, 11 * 0.5);
    EXPECT_DOUBLE_EQ(*run->energy_cost, 0.55);
    EXPECT_DOUBLE_EQ(*run->carbon_kg, 2.75);
  }
}

TEST(RunExperiment, keeps_no_details_unless_asked) {
  const Comparison comparison = compare(two_jobs({{"fifo"}}));
  EXPECT_TRUE(comparison.runs[0].details.jobs.empty());
  EXPECT_TRUE(comparison.runs[0].details.timeline.empty());
  EXPECT_TRUE(comparison.runs[0].details.decisions.empty());
}

TEST(RunExperiment, returns_jobs_timeline_and_decisions_as_values) {
  const Comparison comparison = compare(
      two_jobs({{"fifo"}}), {.details = {.jobs = true, .decisions = true, .timeline_every = 5h}});
  const RunDetails& details = comparison.runs[0].details;
  ASSERT_EQ(details.jobs.size(), 2u);
  EXPECT_EQ(details.jobs[1].name, "short");
  EXPECT_EQ(details.jobs[1].site, "here");
  EXPECT_EQ(details.jobs[1].first_start, kBegin + 10h);
  EXPECT_EQ(details.jobs[1].finish, kBegin + 11h);
  EXPECT_EQ(details.jobs[1].gpus_mean, 1);
  ASSERT_EQ(details.timeline.size(), 3u);
  EXPECT_EQ(details.timeline[1].time, kBegin + 5h);
  EXPECT_EQ(details.timeline[1].busy_gpus, 1u);
  EXPECT_EQ(details.timeline[1].queued_jobs, 1u);
  EXPECT_EQ(details.timeline[1].power, Watts(500));
  ASSERT_EQ(details.decisions.size(), 2u);
  EXPECT_EQ(details.decisions[1].time, kBegin + 10h);
  EXPECT_EQ(std::get<Start>(details.decisions[1].actions.front()).job, JobId{1});
}

TEST(RunExperiment, gives_the_same_bits_on_one_thread_and_on_two) {
  const RunOptions details{.details = {.jobs = true}};
  RunOptions parallel = details;
  parallel.threads = 2;
  const Comparison one = compare(many_jobs(), details);
  const Comparison two = compare(many_jobs(), parallel);
  EXPECT_EQ(without_clocks(one), without_clocks(two));
  EXPECT_EQ(one.runs[1].details.jobs, two.runs[1].details.jobs);
}

TEST(RunExperiment, runs_variants_in_order_each_under_every_policy) {
  ExperimentSpec spec = two_jobs({{"fifo"}, {"sjf"}});
  spec.vary = {{"site.pue", {"1", "2"}}};
  const Comparison comparison = compare(spec, {.threads = 3});
  ASSERT_EQ(comparison.runs.size(), 4u);
  EXPECT_EQ(comparison.runs[1].summary.policy, "sjf");
  EXPECT_EQ(comparison.runs[2].summary.policy, "fifo");
  EXPECT_EQ(comparison.runs[2].summary.options.at("site.pue"), "2");
  EXPECT_DOUBLE_EQ(*comparison.runs[0].summary.energy_kwh, 5.5);
  EXPECT_DOUBLE_EQ(*comparison.runs[3].summary.energy_kwh, 11);
}

TEST(RunExperiment, says_how_far_a_run_is_from_the_best_possible) {
  const Comparison comparison = compare(two_jobs({{"sjf"}}), {.with_bound = true});
  const RunSummary& run = comparison.runs[0].summary;
  ASSERT_TRUE(run.bound_energy_kwh);
  EXPECT_LE(*run.bound_energy_kwh, *run.energy_kwh);
  EXPECT_TRUE(run.gap_energy);
}

TEST(RunExperiment, tells_progress_and_its_end) {
  std::vector<WorkProgress> received;
  compare(two_jobs({{"fifo"}, {"sjf"}}),
          {.progress = [&](const WorkProgress& work) { received.push_back(work); }});
  ASSERT_FALSE(received.empty());
  EXPECT_TRUE(received.back().ended);
  EXPECT_EQ(received.back().done, 4u);
  EXPECT_EQ(received.back().expected, 4u);
}

TEST(RunExperiment, ends_early_when_asked_to_stop) {
  const auto experiment = load_experiment(many_jobs());
  ASSERT_TRUE(experiment);
  std::stop_source stop;
  stop.request_stop();
  const auto comparison = run_experiment(*experiment, {.stop = stop.get_token()});
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().message, "the run was stopped");
}

TEST(RunExperiment, a_stop_that_nobody_asks_for_changes_nothing) {
  std::stop_source stop;
  EXPECT_EQ(without_clocks(compare(many_jobs(), {.stop = stop.get_token()})),
            without_clocks(compare(many_jobs())));
}

TEST(RunExperiment, says_why_a_policy_cannot_run) {
  const auto experiment = load_experiment(two_jobs({{"recorded"}}));
  ASSERT_TRUE(experiment);
  const auto comparison = run_experiment(*experiment);
  ASSERT_FALSE(comparison);
  EXPECT_TRUE(comparison.error().message.starts_with("policy: 'recorded' "));
}

}  // namespace
}  // namespace penstock
