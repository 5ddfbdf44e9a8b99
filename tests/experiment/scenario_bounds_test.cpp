#include "experiment/scenario_bounds.h"

#include <gtest/gtest.h>

#include "experiment/two_jobs.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

TEST(ScenarioBounds, no_run_of_two_jobs_on_one_gpu_can_end_sooner) {
  const auto experiment = load_experiment(two_jobs({}));
  ASSERT_TRUE(experiment);
  const Variant& variant = *experiment->variants.front();
  const Bounds bounds = scenario_bounds(variant.scenario, variant.workload);
  ASSERT_TRUE(bounds.makespan);
  EXPECT_LE(*bounds.makespan, 11h);
  EXPECT_GE(*bounds.makespan, 11h - 1ms);
}

TEST(ScenarioBudgetBound, is_that_without_a_budget_if_two_rigid_jobs_have_enough) {
  const auto experiment = load_experiment(two_jobs({}));
  ASSERT_TRUE(experiment);
  const Variant& variant = *experiment->variants.front();
  const BudgetBound bound = scenario_budget_bound(variant.scenario, variant.workload);
  const auto enough = bound.jct_mean(Joules(1e12));
  ASSERT_TRUE(enough);
  EXPECT_GE(*enough, *scenario_bounds(variant.scenario, variant.workload).jct_mean - 1ms);
  EXPECT_FALSE(bound.jct_mean(bound.least_energy() * 0.99));
}

TEST(FillGaps, says_nothing_of_a_run_that_left_jobs_undone) {
  Bounds bounds;
  bounds.jct_mean = 100s;
  RunSummary run{.jobs_submitted = 2, .jobs_finished = 2, .jct_mean_s = 150};
  fill_gaps(run, bounds);
  EXPECT_EQ(run.gap_jct, 0.5);
  RunSummary undone{.jobs_submitted = 2, .jobs_finished = 1, .jct_mean_s = 150};
  fill_gaps(undone, bounds);
  EXPECT_EQ(undone.bound_jct_mean_s, 100);
  EXPECT_FALSE(undone.gap_jct);
}

}  // namespace
}  // namespace penstock
