#include "model/sharing.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

const GpuType kGpu{
    .name = "m60", .idle = Watts(20), .peak = Watts(160), .sleep = Watts(4), .memory_gib = 16};

TEST(Sharing, a_slice_has_its_part_of_watts_and_memory) {
  const GpuType slice = slice_of(kGpu, 4);
  EXPECT_EQ(slice.idle, Watts(5));
  EXPECT_EQ(slice.peak, Watts(40));
  EXPECT_EQ(slice.sleep, Watts(1));
  EXPECT_EQ(slice.memory_gib, 4);
  EXPECT_EQ(slice.name, "m60");
}

TEST(Sharing, a_node_costs_what_its_used_gpus_cost_whatever_part_of_them_is_used) {
  const NodeTables tables{.power = {Watts(0), Watts(5), Watts(7)}, .rent = {}};
  EXPECT_EQ(by_slices(tables, 2).power,
            (std::vector{Watts(0), Watts(5), Watts(5), Watts(7), Watts(7)}));
  EXPECT_EQ(by_slices(tables, 1).power, tables.power);
  EXPECT_TRUE(by_slices(tables, 2).rent.empty());
}

/// 100 s on one GPU, 60 s on two.
Profile training(double memory_gib) {
  Profile profile = table_profile("lstm", "m60", {{1, 100.0}, {2, 60.0}});
  profile.power.p0 = Watts(160);
  profile.memory_gib = memory_gib;
  return profile;
}

std::vector<double> seconds(double memory_gib, std::uint32_t share) {
  return profile_by_slices(training(memory_gib), slice_of(kGpu, share), share, kUsualInflation)
      .epoch_seconds;
}

TEST(Sharing, parts_of_a_gpu_take_longer_by_their_inflation) {
  EXPECT_EQ(seconds(4, 4), (std::vector{100 * 1.11, 100 * 1.05, 0.0, 100.0, 0.0, 0.0, 0.0, 60.0}));
  EXPECT_EQ(seconds(4, 2), (std::vector{100 * 1.05, 100.0, 0.0, 60.0}));
  EXPECT_EQ(seconds(1, 8)[0], 0) << "no inflation is known of an eighth";
  EXPECT_EQ(seconds(4, 1), training(4).epoch_seconds);
}

TEST(Sharing, a_part_must_have_the_memory_that_a_training_is_known_to_need) {
  EXPECT_EQ(seconds(5, 4), (std::vector{0.0, 100 * 1.05, 0.0, 100.0, 0.0, 0.0, 0.0, 60.0}));
  const std::vector whole{0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 60.0};
  EXPECT_EQ(seconds(9, 4), whole);
  EXPECT_EQ(seconds(0, 4), whole) << "nobody said what it needs";
}

TEST(Sharing, a_training_draws_by_slices_what_it_drew_by_gpus) {
  const Profile profile = profile_by_slices(training(4), slice_of(kGpu, 4), 4, kUsualInflation);
  EXPECT_EQ(draw(profile, {.gpus = 4}), Watts(160));
  EXPECT_EQ(draw(profile, {.gpus = 1}), Watts(40));
  EXPECT_TRUE(runs(profile, {.gpus = 2}));
  EXPECT_FALSE(runs(profile, {.gpus = 3}));
  EXPECT_FALSE(runs(profile, {.gpus = 6}));
  EXPECT_DOUBLE_EQ(throughput(profile, {.gpus = 8}), 1 / 60.0);
}

TEST(Sharing, everything_is_aligned_where_gpus_are_whole) {
  EXPECT_TRUE(is_aligned({{GpuId{1}, 3}, {GpuId{7}, 1}}, 1));
}

}  // namespace
}  // namespace penstock
