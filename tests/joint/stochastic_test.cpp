#include "joint/stochastic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace penstock {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// 1 or 2 units of work a second; the second unit of speed costs twice as much for each.
const std::vector<StochasticOption> kTwo{{.speed = 1, .rate = 1}, {.speed = 2, .rate = 4}};

TEST(Stochastic, takes_the_cheapest_where_there_is_time) {
  const auto choice = choose_stochastic(Survival::certain(10), kTwo, kForever);
  EXPECT_EQ(choice.option, 0u);
  EXPECT_DOUBLE_EQ(choice.expected_cost, 10);
  EXPECT_DOUBLE_EQ(choice.expected_seconds, 10);
  EXPECT_DOUBLE_EQ(choice.worst_seconds, 10);
}

TEST(Stochastic, does_likely_work_cheaply_and_the_unlikely_rest_quickly) {
  // 4 units are needed for sure, 10 with 0.1: 8 s hold 6 slow units and 4 quick ones.
  const std::vector<Survival::Outcome> outcomes{{4, 0.9}, {10, 0.1}};
  const auto choice = choose_stochastic(Survival::steps(outcomes, 10), kTwo, 8);
  EXPECT_EQ(choice.option, 0u);
  EXPECT_NEAR(choice.worst_seconds, 8, 1e-9);
  EXPECT_NEAR(choice.expected_cost, 4 + 0.1 * (2 * 1 + 4 * 2), 1e-9);
  EXPECT_NEAR(choice.expected_seconds, 4 + 0.1 * (2 + 2), 1e-9);
}

TEST(Stochastic, runs_fastest_where_the_worst_would_be_late_anyway) {
  for (const double left : {5.0, 4.0, 0.0, -7.0}) {
    const auto choice = choose_stochastic(Survival::certain(10), kTwo, left);
    EXPECT_EQ(choice.option, 1u);
    EXPECT_DOUBLE_EQ(choice.worst_seconds, 5);
    EXPECT_DOUBLE_EQ(choice.expected_cost, 20);
  }
}

TEST(Stochastic, passes_over_what_is_dearer_and_slower) {
  const std::vector<StochasticOption> options{
      {.speed = 1, .rate = 9}, {.speed = 2, .rate = 2}, {.speed = 2, .rate = 1}};
  EXPECT_EQ(choose_stochastic(Survival::certain(10), options, kForever).option, 2u);
  EXPECT_EQ(choose_stochastic(Survival::certain(10), options, 1).option, 2u);
}

/// Ten equal cells of work, each needed with a probability of its own, never rising.
struct Instance {
  std::vector<double> above{};
  std::vector<StochasticOption> options{};
  double left = 0;

  Survival needed() const {
    std::vector<Survival::Outcome> outcomes;
    for (std::size_t i = 0; i < above.size(); ++i)
      outcomes.push_back({double(i + 1), above[i] - (i + 1 < above.size() ? above[i + 1] : 0.0)});
    return Survival::steps(outcomes, double(above.size()));
  }
  double time(std::size_t i) const { return 1 / options[i].speed; }
  double cost(std::size_t i) const { return options[i].rate / options[i].speed; }
  double fastest() const {
    return double(above.size()) / std::ranges::max(options, {}, &StochasticOption::speed).speed;
  }
};

Instance draw(Rng rng) {
  Instance instance;
  for (int i = 0; i < 9; ++i) instance.above.push_back(rng.uniform());
  instance.above.push_back(1);
  std::ranges::sort(instance.above, std::ranges::greater{});
  const std::uint64_t options = 1 + rng.below(8);
  for (std::uint64_t i = 0; i < options; ++i)
    instance.options.push_back({.speed = 0.2 + rng.uniform(), .rate = 0.1 + rng.uniform()});
  instance.left = instance.fastest() * (0.9 + 3 * rng.uniform());
  return instance;
}

/// The dual of the program for a price of time: no plan that is in time costs less.
double bound_at(const Instance& instance, double price) {
  double sum = -price * instance.left;
  for (const double above : instance.above) {
    double least = kForever;
    for (std::size_t i = 0; i < instance.options.size(); ++i)
      least = std::min(least, instance.cost(i) * above + price * instance.time(i));
    sum += least;
  }
  return sum;
}

/// The dual is a concave line with its bends where two options are equally good for some cell.
double best_bound(const Instance& instance) {
  double best = bound_at(instance, 0);
  for (const double above : instance.above)
    for (std::size_t i = 0; i < instance.options.size(); ++i)
      for (std::size_t j = 0; j < instance.options.size(); ++j) {
        const double price =
            above * (instance.cost(j) - instance.cost(i)) / (instance.time(i) - instance.time(j));
        if (i != j && price > 0) best = std::max(best, bound_at(instance, price));
      }
  return best;
}

TEST(Stochastic, costs_no_more_than_the_dual_allows) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Instance instance = draw(Rng(7).stream(seed));
    const auto choice = choose_stochastic(instance.needed(), instance.options, instance.left);
    if (instance.fastest() >= instance.left) continue;
    EXPECT_NEAR(choice.expected_cost, best_bound(instance), 1e-9) << seed;
    EXPECT_LE(choice.worst_seconds, instance.left * (1 + 1e-12)) << seed;
  }
}

/// The least cost of all ways to give each cell to one option, by trying them all.
double brute_force(const Instance& instance, std::size_t cell, double left) {
  if (cell == instance.above.size()) return left >= 0 ? 0 : kForever;
  double least = kForever;
  for (std::size_t i = 0; i < instance.options.size(); ++i)
    least = std::min(least, instance.cost(i) * instance.above[cell] +
                                brute_force(instance, cell + 1, left - instance.time(i)));
  return least;
}

TEST(Stochastic, is_never_beaten_by_brute_force_over_cells) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Instance instance = draw(Rng(8).stream(seed));
    instance.options.resize(std::min<std::size_t>(instance.options.size(), 3));
    const double brute = brute_force(instance, 0, instance.left);
    if (brute == kForever) continue;
    ++compared;
    const auto choice = choose_stochastic(instance.needed(), instance.options, instance.left);
    EXPECT_LE(choice.expected_cost, brute + 1e-9) << seed;
  }
  EXPECT_GT(compared, 20);
}

TEST(Stochastic, is_in_time_whenever_it_can_be_and_fastest_when_it_cannot) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Instance instance = draw(Rng(9).stream(seed));
    instance.left = instance.fastest() * (0.5 + Rng(10).stream(seed).uniform());
    const auto choice = choose_stochastic(instance.needed(), instance.options, instance.left);
    EXPECT_LE(choice.worst_seconds, std::max(instance.left, instance.fastest()) * (1 + 1e-12));
    EXPECT_GE(choice.worst_seconds, instance.fastest() * (1 - 1e-12));
  }
}

TEST(Stochastic, costs_no_more_than_any_one_option_that_is_in_time) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Instance instance = draw(Rng(11).stream(seed));
    const Survival needed = instance.needed();
    const auto choice = choose_stochastic(needed, instance.options, instance.left);
    for (std::size_t i = 0; i < instance.options.size(); ++i)
      if (needed.most() * instance.time(i) <= instance.left) {
        EXPECT_LE(choice.expected_cost,
                  needed.expected(0, needed.most()) * instance.cost(i) + 1e-9);
      }
  }
}

TEST(Stochastic, never_costs_more_with_more_time) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Instance instance = draw(Rng(12).stream(seed));
    double before = kForever;
    for (double slack = 1; slack < 4; slack += 0.1) {
      const auto choice = choose_stochastic(instance.needed(), instance.options,
                                            instance.fastest() * (slack + 1e-9));
      EXPECT_LE(choice.expected_cost, before + 1e-9);
      before = choice.expected_cost;
    }
  }
}

}  // namespace
}  // namespace penstock
