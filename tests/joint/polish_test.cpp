#include <gtest/gtest.h>

#include <cmath>

#include "joint/brute_force.h"
#include "joint/complete_plan.h"
#include "joint/random_problem.h"
#include "joint/search.h"

namespace penstock {
namespace {

JointAim aim_of(std::uint64_t seed) {
  return seed % 2 == 0 ? JointAim::first_finish : JointAim::pace;
}

TEST(Polish, finds_the_best_of_all_plans_of_tiny_problems) {
  int improved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const JointProblem problem =
        ProblemDice(seed, {.nodes = 2, .gpus = 3, .jobs = 4, .options = 3}).roll();
    const JointSettings settings{.aim = aim_of(seed), .iterations = 200};
    TimeBudget time_budget(std::nullopt);
    Search search = begin_search(problem, settings, time_budget);
    const ElitePool greedy = greedy_plans(search);
    const ElitePool polished = polish(search, greedy);
    const ScoredPlan& best = polished.plans().front();
    const double least = BruteForce(problem, settings.aim).least();
    ASSERT_TRUE(is_feasible(problem, best.plan)) << seed;
    ASSERT_TRUE(is_complete(problem, best.plan)) << seed;
    ASSERT_NEAR(best.cost, least, 1e-9 * std::max(1.0, std::abs(least))) << seed;
    improved += best.cost < greedy.plans().front().cost ? 1 : 0;
  }
  EXPECT_GE(improved, 20) << "greedy plans left nothing to improve";
}

TEST(Polish, leaves_large_problems_alone) {
  JointProblem problem{.types = 1};
  for (int n = 0; n < 20; ++n) problem.nodes.push_back({.gpus = 1, .cost = {0, 1}});
  for (int j = 0; j < 20; ++j)  // 20 jobs on 20 nodes: 400 changes, and 20 to wait
    problem.jobs.push_back({.weight = 1, .options = {on(1, 100)}});
  const JointSettings settings{};
  TimeBudget time_budget(std::nullopt);
  Search search = begin_search(problem, settings, time_budget);
  const ElitePool pool = greedy_plans(search);
  const std::uint64_t evaluated = search.evaluated;
  EXPECT_EQ(polish(search, pool).plans().front().plan, pool.plans().front().plan);
  EXPECT_EQ(search.evaluated, evaluated);
}

}  // namespace
}  // namespace penstock
