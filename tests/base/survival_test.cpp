#include "base/survival.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// Half of the chance lies evenly in the second quarter, half in the last.
Survival halves() {
  const std::vector<double> weights{0, 1, 0, 1};
  return Survival::spread(weights, 8);
}

TEST(Survival, falls_evenly_where_weight_lies) {
  const Survival needed = halves();
  EXPECT_DOUBLE_EQ(needed.above(0), 1);
  EXPECT_DOUBLE_EQ(needed.above(2), 1);
  EXPECT_DOUBLE_EQ(needed.above(3), 0.75);
  EXPECT_DOUBLE_EQ(needed.above(5), 0.5);
  EXPECT_DOUBLE_EQ(needed.above(7), 0.25);
  EXPECT_DOUBLE_EQ(needed.above(8), 0);
  EXPECT_DOUBLE_EQ(needed.above(-1), 1);
  EXPECT_EQ(needed.most(), 8);
}

TEST(Survival, is_reached_where_no_more_than_a_level_is_left) {
  const Survival needed = halves();
  EXPECT_DOUBLE_EQ(needed.reached(1), 0);
  EXPECT_DOUBLE_EQ(needed.reached(0.75), 3);
  EXPECT_DOUBLE_EQ(needed.reached(0.5), 4);
  EXPECT_DOUBLE_EQ(needed.reached(0.25), 7);
  EXPECT_DOUBLE_EQ(needed.reached(0), 8);
}

TEST(Survival, expects_the_area_below_it) {
  EXPECT_DOUBLE_EQ(halves().expected(0, 8), 2 + 1.5 + 1 + 0.5);
  EXPECT_DOUBLE_EQ(halves().expected(3, 5), 0.5 * (0.75 + 0.5) + 0.5);
  EXPECT_DOUBLE_EQ(Survival::certain(3).expected(1, 9), 2);
}

TEST(Survival, has_steps_at_what_is_exactly_needed) {
  const std::vector<Survival::Outcome> outcomes{{10, 0.25}, {20, 0.75}};
  const Survival needed = Survival::steps(outcomes, 40);
  EXPECT_DOUBLE_EQ(needed.above(9), 1);
  EXPECT_DOUBLE_EQ(needed.above(10), 0.75);
  EXPECT_DOUBLE_EQ(needed.above(20), 0);
  EXPECT_DOUBLE_EQ(needed.reached(0.9), 10);
  EXPECT_DOUBLE_EQ(needed.reached(0.1), 20);
  EXPECT_DOUBLE_EQ(needed.expected(0, 40), 0.25 * 10 + 0.75 * 20);
  EXPECT_EQ(needed.most(), 40);
}

TEST(Survival, of_what_was_not_enough_is_about_the_rest) {
  const Survival rest = halves().after(3);
  EXPECT_DOUBLE_EQ(rest.above(0), 1);
  EXPECT_DOUBLE_EQ(rest.above(1), 0.5 / 0.75);
  EXPECT_DOUBLE_EQ(rest.most(), 5);
  EXPECT_DOUBLE_EQ(rest.times(2).above(2), 0.5 / 0.75);
}

TEST(Survival, takes_all_the_rest_for_needed_when_the_unthinkable_has_happened) {
  const std::vector<double> weights{1, 0};
  const Survival rest = Survival::spread(weights, 10).after(6);
  EXPECT_DOUBLE_EQ(rest.above(3.9), 1);
  EXPECT_DOUBLE_EQ(rest.most(), 4);
}

}  // namespace
}  // namespace penstock
