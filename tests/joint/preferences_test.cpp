#include "joint/preferences.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Options = std::vector<std::uint32_t>;

JointOption on(std::uint32_t gpus, double seconds) {
  return {.slices = gpus, .seconds = seconds, .worst = seconds};
}

/// One node of four GPUs at 1 an hour each, and one job: 4000, 2500 or 1500 seconds, which cost
/// 4000, 5000 and 6000 GPU-seconds.
JointProblem one_job(double deadline) {
  return {.types = 1,
          .jobs = {{.deadline = deadline, .options = {on(1, 4000), on(2, 2500), on(4, 1500)}}},
          .nodes = {{.gpus = 4, .cost = {0, 1, 2, 3, 4}}}};
}

TEST(Wishes, are_the_cheapest_that_meet_the_deadline_before_the_fastest_of_the_others) {
  const Wishes loose = all_wishes(one_job(10'000)).front();
  EXPECT_EQ(loose.options, Options({0, 1, 2}));
  EXPECT_EQ(loose.in_time, 3u);
  const Wishes middling = all_wishes(one_job(3000)).front();
  EXPECT_EQ(middling.options, Options({1, 2, 0}));
  EXPECT_EQ(middling.in_time, 2u);
  const Wishes late = all_wishes(one_job(1000)).front();
  EXPECT_EQ(late.options, Options({2, 1, 0}));
  EXPECT_EQ(late.in_time, 0u);
}

TEST(Wishes, hold_the_worst_case_and_the_restart_against_the_deadline) {
  JointProblem problem = one_job(3000);
  problem.jobs[0].options[1].worst = 3500;
  EXPECT_EQ(all_wishes(problem).front().options, Options({2, 1, 0}));
  problem = one_job(3000);
  problem.jobs[0].running = Assignment{.node = 0, .option = 1};
  problem.jobs[0].restart = 2000;
  EXPECT_EQ(all_wishes(problem).front().options, Options({1, 2, 0}));
  EXPECT_EQ(all_wishes(problem).front().in_time, 1u);  // it would be late any other way
}

TEST(Wishes, leave_out_what_no_node_could_hold) {
  JointProblem problem = one_job(1000);
  problem.nodes[0] = {.gpus = 2, .cost = {0, 1, 2}};
  EXPECT_EQ(all_wishes(problem).front().options, Options({1, 0}));
  problem.nodes.clear();
  EXPECT_TRUE(all_wishes(problem).front().options.empty());
}

TEST(Pressure, is_how_late_the_fastest_way_would_be) {
  JointProblem problem = one_job(3000);
  EXPECT_DOUBLE_EQ(pressure(problem, problem.jobs[0]), -1500);
  problem.now = 2000;
  EXPECT_DOUBLE_EQ(pressure(problem, problem.jobs[0]), 500);
}

TEST(OptionCost, is_the_jobs_share_of_its_node_until_it_ends) {
  JointProblem problem = one_job(3000);
  EXPECT_DOUBLE_EQ(option_cost(problem, problem.jobs[0].options[1]), 2 * 2500.0 / 3600);
  problem.slices = 4;  // a quarter, a half and the whole of a GPU
  EXPECT_DOUBLE_EQ(option_cost(problem, problem.jobs[0].options[1]), 0.5 * 2500.0 / 3600);
}

}  // namespace
}  // namespace penstock
