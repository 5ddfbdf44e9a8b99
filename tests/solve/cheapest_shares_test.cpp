#include "solve/cheapest_shares.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(CheapestShares, take_the_cheapest_parts_that_make_a_whole) {
  CheapestShares shares;
  shares.offer(8, 0.5);
  EXPECT_FALSE(shares.is_whole());
  EXPECT_DOUBLE_EQ(shares.cost(), 4);
  shares.offer(2, 0.75);
  EXPECT_TRUE(shares.is_whole());
  EXPECT_DOUBLE_EQ(shares.cost(), 0.75 * 2 + 0.25 * 8);
  shares.offer(4, 0.125);
  EXPECT_DOUBLE_EQ(shares.cost(), 0.75 * 2 + 0.125 * 4 + 0.125 * 8);
  shares.offer(9, 1);
  EXPECT_DOUBLE_EQ(shares.cost(), 0.75 * 2 + 0.125 * 4 + 0.125 * 8);
  shares.offer(1, 7);
  EXPECT_DOUBLE_EQ(shares.cost(), 1);
}

TEST(CheapestShares, are_nothing_again_when_cleared) {
  CheapestShares shares;
  shares.offer(8, 1);
  shares.clear();
  EXPECT_FALSE(shares.is_whole());
  EXPECT_DOUBLE_EQ(shares.cost(), 0);
}

}  // namespace
}  // namespace penstock
