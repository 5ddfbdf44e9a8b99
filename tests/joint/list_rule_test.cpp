#include "joint/list_rule.h"

#include <gtest/gtest.h>

#include "joint/complete_plan.h"
#include "joint/random_problem.h"

namespace penstock {
namespace {

using Order = std::vector<std::uint32_t>;

JointOption on_type(std::uint32_t type, std::uint32_t gpus, double seconds) {
  return {.type = type, .slices = gpus, .seconds = seconds, .worst = seconds};
}

/// Jobs of 1000 and 500 s; the first is due when it could end, the other `slack` later than that.
JointProblem two_jobs(double slack) {
  return {.types = 1,
          .jobs = {{.deadline = 1000, .weight = 1, .options = {on(1, 1000)}},
                   {.deadline = 500 + slack, .weight = 1, .options = {on(1, 500)}}},
          .nodes = {{.gpus = 1, .cost = {0, 1}}}};
}

TEST(ApparentTardiness, falls_by_the_slack_in_mean_run_times) {
  // 1/1000 against 1/500 · exp(−slack/(2 · 750)): the same at a slack of 1500 · ln 2 = 1039.7.
  EXPECT_EQ(by_apparent_tardiness(two_jobs(0)), Order({1, 0}));
  EXPECT_EQ(by_apparent_tardiness(two_jobs(1039)), Order({1, 0}));
  EXPECT_EQ(by_apparent_tardiness(two_jobs(1041)), Order({0, 1}));
}

TEST(ApparentTardiness, does_not_grow_once_a_job_is_late_and_counts_its_weight) {
  EXPECT_EQ(by_apparent_tardiness(two_jobs(-10'000)), Order({1, 0}));
  JointProblem problem = two_jobs(-10'000);
  problem.jobs[0].weight = 2.1;
  EXPECT_EQ(by_apparent_tardiness(problem), Order({0, 1}));
}

TEST(ApparentTardiness, judges_a_job_by_one_gpu_of_its_fastest_type) {
  JointProblem problem = two_jobs(0);
  problem.types = 2;
  problem.jobs[0].deadline = 0;
  problem.jobs[0].options = {on_type(0, 1, 1000), on_type(0, 4, 10), on_type(1, 1, 400)};
  EXPECT_EQ(by_apparent_tardiness(problem), Order({0, 1}));
  problem.jobs[0].options.pop_back();
  EXPECT_EQ(by_apparent_tardiness(problem), Order({1, 0}));
}

/// A fast node of one GPU and a slow one of two, and jobs of 100 s on the fast, 300 on the slow.
JointProblem fast_and_slow(std::size_t jobs) {
  JointProblem problem{
      .types = 2,
      .nodes = {{.type = 0, .gpus = 1, .cost = {0, 1}}, {.type = 1, .gpus = 2, .cost = {0, 1, 2}}}};
  for (std::size_t j = 0; j < jobs; ++j)
    problem.jobs.push_back(
        {.deadline = double(j),
         .weight = 10 - double(j),
         .options = {on_type(0, 1, 100), on_type(1, 1, 300), on_type(1, 2, 50)}});
  return problem;
}

TEST(ListPlan, gives_the_first_job_the_fast_gpu_and_the_others_what_is_left) {
  const Assignments plan = list_plan(fast_and_slow(4));
  EXPECT_EQ(plan[0], Assignment({.node = 0, .option = 0}));
  EXPECT_EQ(plan[1], Assignment({.node = 1, .option = 1}));
  EXPECT_EQ(plan[2], Assignment({.node = 1, .option = 1}));
  EXPECT_FALSE(plan[3]);
}

TEST(ListPlan, moves_a_job_to_a_faster_type_if_it_ends_sooner_there_restart_counted) {
  JointProblem problem = fast_and_slow(1);
  problem.jobs[0].running = Assignment{.node = 1, .option = 1};
  problem.jobs[0].restart = 199;
  EXPECT_EQ(list_plan(problem)[0]->node, 0u);
  problem.jobs[0].restart = 201;
  EXPECT_EQ(list_plan(problem)[0]->node, 1u);
}

TEST(ListPlan, lets_a_job_stay_on_its_node_when_a_more_urgent_one_comes) {
  JointProblem problem = two_jobs(0);
  problem.nodes.push_back(problem.nodes.front());
  problem.jobs[0].restart = 30;
  for (const std::uint32_t node : {0u, 1u}) {
    problem.jobs[0].running = Assignment{.node = node, .option = 0};
    const Assignments plan = list_plan(problem);
    EXPECT_EQ(plan[0]->node, node);
    EXPECT_EQ(plan[1]->node, 1 - node);
  }
}

TEST(ListPlan, takes_the_fewest_gpus_that_a_job_can_run_on) {
  const JointProblem problem{.types = 1,
                             .jobs = {{.weight = 1, .options = {on(4, 10), on(2, 100)}}},
                             .nodes = {{.gpus = 4, .cost = {0, 1, 2, 3, 4}}}};
  EXPECT_EQ(list_plan(problem)[0]->option, 1u);
}

TEST(ListPlan, takes_a_whole_gpu_rather_than_parts_of_one) {
  const JointProblem problem{.slices = 4,
                             .types = 1,
                             .jobs = {{.weight = 1, .options = {on(1, 400), on(4, 100)}},
                                      {.weight = 2, .options = {on(1, 400), on(2, 200)}}},
                             .nodes = {{.gpus = 2, .cost = {0, 1, 2}}}};
  EXPECT_EQ(list_plan(problem)[0]->option, 1u);
  EXPECT_EQ(list_plan(problem)[1]->option, 1u);
}

}  // namespace
}  // namespace penstock
