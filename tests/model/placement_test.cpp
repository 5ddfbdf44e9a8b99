#include "model/placement.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

GpuRange range(std::uint32_t first, std::uint32_t count) {
  return {GpuId{first}, count};
}

TEST(Placement, counts_the_gpus_of_all_its_ranges) {
  EXPECT_EQ(gpu_count({}), 0u);
  EXPECT_EQ(gpu_count({range(3, 1), range(8, 4)}), 5u);
}

TEST(GpuSet, holds_exactly_the_ranges_that_were_put_in) {
  GpuSet set(200);
  set.insert(range(60, 70));  // over two ends of words
  EXPECT_FALSE(set.contains(GpuId{59}));
  EXPECT_TRUE(set.contains(GpuId{60}));
  EXPECT_TRUE(set.contains(GpuId{129}));
  EXPECT_FALSE(set.contains(GpuId{130}));
  EXPECT_EQ(set.count(range(0, 200)), 70u);
  EXPECT_EQ(set.count(range(64, 64)), 64u) << "a whole word";
}

TEST(GpuSet, gives_back_only_what_is_taken_out) {
  GpuSet set(128);
  set.insert(range(0, 128));
  set.erase(range(62, 4));
  EXPECT_EQ(set.count(range(0, 128)), 124u);
  EXPECT_TRUE(set.contains_none(range(62, 4)));
  EXPECT_FALSE(set.contains_none(range(61, 4)));
  EXPECT_TRUE(set.contains_all(range(0, 62)));
  EXPECT_FALSE(set.contains_all(range(0, 63)));
}

TEST(GpuSet, has_all_and_none_of_an_empty_range) {
  GpuSet set(64);
  EXPECT_TRUE(set.contains_all(range(5, 0)));
  EXPECT_TRUE(set.contains_none(range(5, 0)));
}

TEST(GpuSet, gives_the_lowest_members_in_as_few_ranges_as_they_form) {
  GpuSet set(128);
  set.insert(range(1, 2));
  set.insert(range(62, 4));
  Placement where;
  set.lowest(range(0, 128), 5, where);
  EXPECT_EQ(where, (Placement{range(1, 2), range(62, 3)}));
}

TEST(GpuSet, does_not_join_the_gpus_of_two_nodes) {
  GpuSet set(8);
  set.insert(range(0, 8));
  Placement where;
  set.lowest(range(2, 2), 2, where);  // the end of a node of four
  set.lowest(range(4, 4), 2, where);
  EXPECT_EQ(where, (Placement{range(2, 2), range(4, 2)}));
}

}  // namespace
}  // namespace penstock
