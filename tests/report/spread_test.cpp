#include "report/spread.h"

#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

TEST(Spread, is_a_mean_and_half_its_interval) {
  const Spread spread = spread_of(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(spread.mean, 2);
  EXPECT_NEAR(spread.half, 4.303 / 1.7320508, 1e-6);
}

TEST(Spread, of_fewer_than_two_has_no_width) {
  EXPECT_EQ(spread_of(std::vector<double>{5}).half, 0);
  EXPECT_EQ(spread_of({}).mean, 0);
}

}  // namespace
}  // namespace penstock
