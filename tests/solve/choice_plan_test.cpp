#include "solve/choice_plan.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace penstock {
namespace {

/// The value of the best of all plans.
double best_value(const ChoiceProblem& problem, std::size_t item,
                  std::vector<std::uint32_t>& left) {
  if (item == problem.items.size()) return 0;
  double most = best_value(problem, item + 1, left);
  for (const ItemChoice& choice : problem.items[item]) {
    if (choice.amount > left[choice.resource]) continue;
    left[choice.resource] -= choice.amount;
    most = std::max(most, choice.value + best_value(problem, item + 1, left));
    left[choice.resource] += choice.amount;
  }
  return most;
}

double best_value(const ChoiceProblem& problem) {
  std::vector<std::uint32_t> left = problem.capacities;
  return best_value(problem, 0, left);
}

ChoiceProblem random_choices(std::uint64_t seed, std::uint64_t most_items) {
  Rng rng(seed);
  ChoiceProblem problem;
  for (std::uint64_t n = 1 + rng.below(3); n > 0; --n)
    problem.capacities.push_back(static_cast<std::uint32_t>(rng.below(9)));
  for (std::uint64_t n = rng.below(most_items + 1); n > 0; --n) {
    auto& choices = problem.items.emplace_back();
    for (std::uint64_t i = rng.below(6); i > 0; --i)
      choices.push_back(
          {.value = rng.uniform() - 0.1,
           .resource = static_cast<std::uint32_t>(rng.below(problem.capacities.size())),
           .amount = static_cast<std::uint32_t>(rng.below(5))});
  }
  return problem;
}

void expect_possible(const ChoiceProblem& problem, const ChoicePlan& plan) {
  ASSERT_EQ(plan.chosen.size(), problem.items.size());
  std::vector<std::uint32_t> left = problem.capacities;
  double value = 0;
  for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
    if (!plan.chosen[i]) continue;
    const ItemChoice& choice = problem.items[i][*plan.chosen[i]];
    ASSERT_LE(choice.amount, left[choice.resource]);
    left[choice.resource] -= choice.amount;
    EXPECT_GT(choice.value, 0);
    value += choice.value;
  }
  EXPECT_NEAR(plan.value, value, 1e-12);
}

TEST(ChoicePlan, without_a_gap_is_as_good_as_the_best_of_all) {
  for (std::uint64_t seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const ChoiceProblem problem = random_choices(seed, 6);
    const ChoicePlan plan = choose_within(problem, {.gap = 0, .nodes = 0});
    expect_possible(problem, plan);
    EXPECT_NEAR(plan.value, best_value(problem), 1e-7);
    EXPECT_NEAR(plan.at_most, plan.value, 1e-6);
  }
}

TEST(ChoicePlan, with_a_gap_is_worse_by_no_more_than_that) {
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const ChoiceProblem problem = random_choices(seed, 6);
    const ChoicePlan plan = choose_within(problem, {.gap = 0.05, .nodes = 0});
    const double best = best_value(problem);
    expect_possible(problem, plan);
    EXPECT_GE(plan.value, 0.95 * best - 1e-7);
    EXPECT_GE(plan.at_most, best - 1e-7);
  }
}

TEST(ChoicePlan, of_a_relaxed_program_alone_is_possible_and_says_how_good_it_is) {
  double sum = 0;
  double most = 0;
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const ChoiceProblem problem = random_choices(seed, 6);
    const ChoicePlan plan = choose_within(problem, {.gap = 0, .nodes = 0, .most = 0});
    const double best = best_value(problem);
    expect_possible(problem, plan);
    EXPECT_LE(plan.value, best + 1e-7);
    EXPECT_GE(plan.at_most, best - 1e-7);
    sum += plan.value;
    most += best;
  }
  EXPECT_GT(sum, 0.97 * most);
}

TEST(ChoicePlan, is_the_same_twice) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ChoiceProblem problem = random_choices(seed, 60);
    EXPECT_EQ(choose_within(problem).chosen, choose_within(problem).chosen) << seed;
  }
}

TEST(ChoicePlan, gives_the_scarce_resource_to_who_gains_most_by_it) {
  // Of one unit of each resource: 3 + 2 is more than 3 + 1 and 2 + 2.
  const ChoiceProblem problem{.items = {{{2, 0, 1}, {3, 1, 1}}, {{2, 0, 1}, {2, 1, 1}}},
                              .capacities = {1, 1}};
  const ChoicePlan plan = choose_within(problem);
  EXPECT_EQ(plan.chosen[0], 1u);
  EXPECT_EQ(plan.chosen[1], 0u);
  EXPECT_DOUBLE_EQ(plan.value, 5);
}

TEST(ChoicePlan, of_nothing_is_empty) {
  EXPECT_TRUE(choose_within({}).chosen.empty());
  const ChoicePlan plan = choose_within({.items = {{}, {{-1, 0, 0}}}, .capacities = {1}});
  EXPECT_EQ(plan.chosen, (std::vector<std::optional<std::uint32_t>>(2)));
}

}  // namespace
}  // namespace penstock
