#include "report/paired_change.h"

#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

TEST(PairedChange, compares_means_and_typical_occasions) {
  const PairedChange change = paired_change(std::vector<double>{1, 8}, std::vector<double>{2, 4});
  EXPECT_DOUBLE_EQ(change.of_mean, 0.5);
  EXPECT_NEAR(change.of_middle, 0, 1e-12);  // half and double
  EXPECT_DOUBLE_EQ(change.low, -0.5);
  EXPECT_DOUBLE_EQ(change.high, 1);
}

TEST(PairedChange, is_sure_where_every_occasion_agrees) {
  const PairedChange change =
      paired_change(std::vector<double>{1, 10, 100}, std::vector<double>{2, 20, 200});
  EXPECT_DOUBLE_EQ(change.low, -0.5);
  EXPECT_DOUBLE_EQ(change.high, -0.5);
}

TEST(PairedChange, of_one_occasion_has_no_width) {
  const PairedChange change = paired_change(std::vector<double>{3}, std::vector<double>{2});
  EXPECT_DOUBLE_EQ(change.low, 0.5);
  EXPECT_DOUBLE_EQ(change.high, 0.5);
}

}  // namespace
}  // namespace penstock
