#include "bridge/gres.h"

#include <gtest/gtest.h>

namespace penstock::bridge {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(Gres, a_held_share_has_type_count_and_indices) {
  const auto gpus = gpus_of("gpu:v100:3(IDX:0,2-3)");
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].type, "v100");
  EXPECT_EQ(gpus[0].count, 3);
  EXPECT_EQ(gpus[0].indices, (Numbers{0, 2, 3}));
}

TEST(Gres, all_ways_to_ask_are_read) {
  EXPECT_EQ(gpus_of("gres:gpu:4")[0].count, 4);
  EXPECT_EQ(gpus_of("gres:gpu:4")[0].type, "");
  EXPECT_EQ(gpus_of("gres:gpu:a100:2")[0].type, "a100");
  EXPECT_EQ(gpus_of("gpu")[0].count, 1);
  EXPECT_EQ(gpus_of("gpu:a100")[0].count, 1);
  EXPECT_EQ(gpus_of("gpu:a100:8(S:0-1)")[0].count, 8);
}

TEST(Gres, other_resources_are_passed_over) {
  const auto gpus =
      gpus_of("craynetwork:4,gpu:a100:1(IDX:1),gpux:3,shard:2(1/2,0/2),gpu:v100:2(IDX:0-1)");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].indices, Numbers{1});
  EXPECT_EQ(gpus[1].indices, (Numbers{0, 1}));
}

TEST(Gres, nothing_held_has_no_index) {
  EXPECT_TRUE(gpus_of("gpu:v100:0(IDX:N/A)")[0].indices.empty());
  EXPECT_TRUE(gpus_of("").empty());
}

TEST(Gres, nonsense_does_no_harm) {
  EXPECT_TRUE(numbers_of("5-,x,-3,0-99999999,9-7").size() <= 1);
  EXPECT_EQ(gpus_of("gpu:(IDX:").size(), 1U);
  EXPECT_EQ(gpus_of("gpu:)(:,,").size(), 1U);
}

TEST(Gres, a_clock_is_a_number_of_megahertz) {
  EXPECT_EQ(clock_of("gpu:1200"), 1200);
  EXPECT_EQ(clock_of("memory=900,gpu:1100"), 1100);
  EXPECT_EQ(clock_of("gpu:high"), 0);
  EXPECT_EQ(clock_of(""), 0);
}

}  // namespace
}  // namespace penstock::bridge
