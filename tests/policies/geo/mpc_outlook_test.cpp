#include "policies/geo/mpc_outlook.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(MpcRate, adds_up_parts_of_steps_and_what_holds_beyond_them) {
  const MpcRate rate(2, {10, 30}, 5);
  EXPECT_DOUBLE_EQ(rate.between(0, 1), 10);
  EXPECT_DOUBLE_EQ(rate.between(1, 3), 10 + 30);
  EXPECT_DOUBLE_EQ(rate.between(3, 6), 30 + 2 * 5);
  EXPECT_DOUBLE_EQ(rate.between(7, 9), 2 * 5);
}

TEST(MpcRate, of_nothing_is_nothing) {
  EXPECT_DOUBLE_EQ(MpcRate().between(0, 5), 0);
}

}  // namespace

}  // namespace penstock
