#include "joint/builder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "joint/random_problem.h"

namespace penstock {
namespace {

using Options = std::vector<std::uint32_t>;

/// One node of four GPUs at 1 an hour each, and one job: 4000, 2500 or 1500 seconds, which cost
/// 4000, 5000 and 6000 GPU-seconds.
JointProblem one_job(double deadline) {
  return {.types = 1,
          .jobs = {{.deadline = deadline, .options = {on(1, 4000), on(2, 2500), on(4, 1500)}}},
          .nodes = {{.gpus = 4, .cost = {0, 1, 2, 3, 4}}}};
}

TEST(OptionRanking, are_the_cheapest_that_meet_the_deadline_before_the_fastest_of_the_others) {
  const OptionRanking loose = all_rankings(one_job(10'000)).front();
  EXPECT_EQ(loose.options, Options({0, 1, 2}));
  EXPECT_EQ(loose.in_time, 3u);
  const OptionRanking middling = all_rankings(one_job(3000)).front();
  EXPECT_EQ(middling.options, Options({1, 2, 0}));
  EXPECT_EQ(middling.in_time, 2u);
  const OptionRanking late = all_rankings(one_job(1000)).front();
  EXPECT_EQ(late.options, Options({2, 1, 0}));
  EXPECT_EQ(late.in_time, 0u);
}

TEST(OptionRanking, hold_the_worst_case_and_the_restart_against_the_deadline) {
  JointProblem problem = one_job(3000);
  problem.jobs[0].options[1].worst = 3500;
  EXPECT_EQ(all_rankings(problem).front().options, Options({2, 1, 0}));
  problem = one_job(3000);
  problem.jobs[0].running = Assignment{.node = 0, .option = 1};
  problem.jobs[0].restart = 2000;
  EXPECT_EQ(all_rankings(problem).front().options, Options({1, 2, 0}));
  EXPECT_EQ(all_rankings(problem).front().in_time, 1u);  // it would be late any other way
}

TEST(OptionRanking, leave_out_what_no_node_could_hold) {
  JointProblem problem = one_job(1000);
  problem.nodes[0] = {.gpus = 2, .cost = {0, 1, 2}};
  EXPECT_EQ(all_rankings(problem).front().options, Options({1, 0}));
  problem.nodes.clear();
  EXPECT_TRUE(all_rankings(problem).front().options.empty());
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

/// K80 machines by the hour, which come with 1, 2 or 4 GPUs: the third costs as much as four.
JointNode k80() {
  return {.gpus = 4, .cost = {0, 0.56, 1.13, 2.25, 2.25}};
}

JointNode plain(std::uint32_t gpus) {
  JointNode node{.gpus = gpus};
  for (std::uint32_t used = 0; used <= gpus; ++used) node.cost.push_back(used);
  return node;
}

Assignments greedily(const JointProblem& problem) {
  return Builder(problem).greedy(by_pressure(problem), all_rankings(problem));
}

TEST(Builder, gives_the_gpu_that_costs_nothing_more_to_the_job_whose_time_drops_most) {
  const JointProblem problem{.types = 1,
                             .jobs = {{.options = {on(1, 1000), on(2, 700)}},
                                      {.options = {on(1, 1000), on(2, 600)}},
                                      {.options = {on(1, 1000), on(2, 900)}}},
                             .nodes = {k80()}};
  const Assignments plan = greedily(problem);
  EXPECT_EQ(plan[0], Assignment({.node = 0, .option = 0}));
  EXPECT_EQ(plan[1], Assignment({.node = 0, .option = 1}));
  EXPECT_EQ(plan[2], Assignment({.node = 0, .option = 0}));
}

TEST(Builder, buys_no_gpu_that_costs_more) {
  const JointProblem problem{
      .types = 1,
      .jobs = {{.options = {on(1, 1000), on(2, 700)}}, {.options = {on(1, 1000), on(2, 600)}}},
      .nodes = {k80()}};
  for (const auto& at : greedily(problem)) EXPECT_EQ(at->option, 0u);
}

TEST(Builder, gives_no_free_gpu_to_a_job_that_would_restart_for_it) {
  JointProblem problem{.types = 1,
                       .jobs = {{.options = {on(1, 1000), on(2, 700)}},
                                {.options = {on(1, 1000), on(2, 600)},
                                 .running = Assignment{.node = 0, .option = 0},
                                 .restart = 30},
                                {.options = {on(1, 1000), on(2, 900)}}},
                       .nodes = {k80()}};
  EXPECT_EQ(greedily(problem)[1]->option, 0u);
  EXPECT_EQ(greedily(problem)[0]->option, 1u);
}

TEST(Builder, serves_the_most_pressing_first_and_postpones_the_rest_when_full) {
  const JointProblem problem{.types = 1,
                             .jobs = {{.deadline = 5000, .options = {on(1, 1000)}},
                                      {.deadline = 1500, .options = {on(1, 1000)}},
                                      {.options = {on(1, 1000)}},
                                      {.deadline = 4000, .options = {on(1, 3500)}}},
                             .nodes = {plain(2)}};
  EXPECT_EQ(by_pressure(problem), std::vector<std::uint32_t>({1, 3, 0, 2}));
  const Assignments plan = greedily(problem);
  EXPECT_TRUE(plan[1] && plan[3]);
  EXPECT_FALSE(plan[0] || plan[2]);
}

TEST(Builder, fills_the_node_with_least_left_over) {
  const JointProblem problem{.types = 1,
                             .jobs = {{.deadline = 1, .options = {on(6, 1000)}},
                                      {.deadline = 2, .options = {on(3, 1000)}},
                                      {.deadline = 3, .options = {on(1, 1000)}},
                                      {.deadline = 4, .options = {on(2, 1000)}}},
                             .nodes = {plain(4), plain(8)}};
  const Assignments plan = greedily(problem);
  EXPECT_EQ(plan[0]->node, 1u);
  EXPECT_EQ(plan[1]->node, 0u);
  EXPECT_EQ(plan[2]->node, 0u);  // one left, not two
  EXPECT_EQ(plan[3]->node, 1u);
}

TEST(Builder, lets_a_job_with_a_restart_stay_where_it_is_and_moves_one_without) {
  JointProblem problem{.types = 1,
                       .jobs = {{.deadline = 1, .options = {on(1, 1000)}},
                                {.options = {on(1, 1000)},
                                 .running = Assignment{.node = 1, .option = 0},
                                 .restart = 60}},
                       .nodes = {plain(4), plain(4)}};
  EXPECT_EQ(greedily(problem)[1]->node, 1u);
  problem.jobs[1].restart = 0;
  EXPECT_EQ(greedily(problem)[1]->node, 0u);  // beside the other
}

TEST(Builder, walks_down_a_jobs_wishes_until_one_fits) {
  const JointProblem problem{.types = 1,
                             .jobs = {{.deadline = 1, .options = {on(3, 1000)}},
                                      {.deadline = 2, .options = {on(2, 500), on(1, 1000)}}},
                             .nodes = {plain(4)}};
  EXPECT_EQ(greedily(problem)[1], Assignment({.node = 0, .option = 1}));
}

TEST(Builder, strays_from_the_greedy_plan_with_luck_and_never_makes_an_infeasible_one) {
  std::size_t different = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const JointProblem problem = random_problem(seed);
    const auto order = by_pressure(problem);
    const auto rankings = all_rankings(problem);
    Builder builder(problem);
    const Assignments plain_plan = builder.greedy(order, rankings);
    for (std::uint64_t i = 0; i < 10; ++i) {
      const Assignments plan = builder.randomised(order, rankings, {}, Rng(seed).stream(i));
      ASSERT_TRUE(is_feasible(problem, plan)) << "seed " << seed;
      different += plan == plain_plan ? 0 : 1;
    }
    ASSERT_EQ(builder.greedy(order, rankings), plain_plan) << "seed " << seed;  // buffers are clean
  }
  EXPECT_GT(different, 1000u);
}

TEST(Randomisation, as_published_always_takes_the_first_of_a_few_options) {
  const JointProblem problem = one_job(10'000);
  std::size_t other = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto option = [&](const Randomisation& randomisation) {
      return Builder(problem)
          .randomised(by_pressure(problem), all_rankings(problem), randomisation, Rng(seed))[0]
          ->option;
    };
    ASSERT_EQ(option(Randomisation::published()), 0u);
    other += option({});
  }
  EXPECT_GT(other, 30u);
}

TEST(Randomisation, as_published_tends_to_put_the_lighter_of_two_jobs_first) {
  const JointProblem problem{.types = 1,
                             .jobs = {{.deadline = 1, .weight = 2, .options = {on(1, 1000)}},
                                      {.deadline = 2, .weight = 1, .options = {on(1, 1000)}}},
                             .nodes = {plain(1)}};
  std::size_t heavy = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed)
    heavy += Builder(problem)
                 .randomised(by_pressure(problem), all_rankings(problem),
                             Randomisation::published(), Rng(seed))[0]
                 .has_value();
  EXPECT_NEAR(double(heavy), 4500, 150);  // three deviations
}

}  // namespace

}  // namespace penstock
