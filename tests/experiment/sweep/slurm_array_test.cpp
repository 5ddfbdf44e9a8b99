#include "experiment/sweep/slurm_array.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ReadPoints, takes_a_list_of_numbers_and_ranges) {
  const SweepPlan plan{.points = std::vector<SweepPoint>(4)};
  EXPECT_EQ(*read_points("0-1,3", plan), (std::vector<std::size_t>{0, 1, 3}));
}

TEST(ReadPoints, refuses_a_point_that_the_plan_does_not_have) {
  const SweepPlan plan{.points = std::vector<SweepPoint>(4)};
  EXPECT_TRUE(read_points("2-9", plan).error().message.starts_with("--points: "));
  EXPECT_TRUE(read_points("@/nowhere/list", plan)
                  .error()
                  .message.ends_with("; --out must be a folder that every node sees"));
}

}  // namespace
}  // namespace penstock
