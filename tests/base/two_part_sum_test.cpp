#include "base/two_part_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace penstock {
namespace {

TEST(TwoPartSum, keeps_what_a_double_rounds_away) {
  TwoPartSum sum;
  sum += 1e16;
  const TwoPartSum before = sum;
  for (int i = 0; i < 1000; ++i) sum += 0.001;
  EXPECT_NEAR(sum - before, 1, 1e-12);
  EXPECT_EQ(1e16 + 0.001, 1e16);
}

TEST(TwoPartSum, is_nothing_again_when_all_is_taken_away) {
  Rng rng(7);
  std::vector<double> numbers;
  TwoPartSum sum;
  double plain = 0;
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(0.1 + 500 * rng.uniform());
    sum += numbers.back();
    plain += numbers.back();
  }
  for (const double number : numbers) {
    sum -= number;
    plain -= number;
  }
  EXPECT_NE(plain, 0);
  EXPECT_NEAR(sum.value(), 0, 1e-24);
}

TEST(TwoPartSum, adds_another_sum_with_both_parts) {
  TwoPartSum small;
  small += 1e16;
  small += 0.25;
  TwoPartSum sum;
  sum += small;
  sum += small;
  TwoPartSum large;
  large += 2e16;
  EXPECT_EQ(sum - large, 0.5);
}

}  // namespace
}  // namespace penstock
