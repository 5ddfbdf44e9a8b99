#include "live/job/beliefs.h"

#include <gtest/gtest.h>

#include <vector>

#include "live/live_world.h"

namespace penstock {
namespace {

/// A GPU holds 64 samples, which is what is usual on it; the range is 8 to 256.
Profile resnet() {
  return small_catalogue().front();
}

LiveBeliefs beliefs_of(const Profile& profile, bool refit = false) {
  const std::vector<Profile> catalogue{profile};
  return {catalogue, small_cluster(2), refit};
}

TEST(LiveBeliefs, a_job_that_names_no_batch_has_the_usual_one_on_each_gpu) {
  const LiveBeliefs beliefs = beliefs_of(resnet());
  EXPECT_EQ(beliefs.usual_batch("resnet", 1), 64);
  EXPECT_EQ(beliefs.usual_batch("resnet", 8), 512);
  EXPECT_EQ(beliefs.usual_batch("bert", 1), 0) << "nobody knows it";
  Profile free = resnet();
  free.noise.scale = 1000;
  EXPECT_EQ(beliefs_of(free).usual_batch("resnet", 8), 256) << "in range, where one may be chosen";
}

TEST(LiveBeliefs, a_script_is_not_taken_to_accumulate_gradients) {
  LiveBeliefs beliefs = beliefs_of(resnet());
  const auto row = beliefs.row({"resnet", 1, 8, 256});
  ASSERT_TRUE(row);
  const Profile& profile = *beliefs.models().find(*row, {});
  EXPECT_TRUE(runs(profile, {.gpus = 4, .batch = 256}));
  EXPECT_FALSE(runs(profile, {.gpus = 2, .batch = 256}));
  EXPECT_TRUE(may_have_batch(profile, 256, 256));
  EXPECT_FALSE(may_have_batch(profile, 128, 256));
}

TEST(LiveBeliefs, a_pipeline_that_needs_clocks_for_each_gpu_is_not_known) {
  Profile pipeline = resnet();
  pipeline.front = {{10, 5000}};
  LiveBeliefs beliefs = beliefs_of(pipeline);
  EXPECT_EQ(beliefs.usual_batch("resnet", 1), 0);
  EXPECT_FALSE(beliefs.row({"resnet", 1, 8, 256}));
}

TEST(LiveBeliefs, what_is_learnt_keeps_the_batches_of_the_catalogue) {
  LiveBeliefs beliefs = beliefs_of(resnet(), true);
  const auto row = beliefs.row({"resnet", 1, 8, 256});
  ASSERT_TRUE(row);
  Profile slow = *beliefs.models().find(*row, {});
  slow.speed.alpha_c *= 10;
  const Config config{.gpus = 4, .batch = 256};
  beliefs.observe({.kind = *row,
                   .config = config,
                   .speed = Speed(throughput(slow, config) / 1e3),
                   .draw = draw(slow, config)});
  ASSERT_EQ(beliefs.learnt().size(), 1u);
  EXPECT_EQ(beliefs.learnt()[0].was.batch, resnet().batch);
  EXPECT_EQ(beliefs.learnt()[0].is.batch, resnet().batch);
  EXPECT_GT(beliefs.learnt()[0].is.speed.alpha_c, resnet().speed.alpha_c);
  EXPECT_FALSE(beliefs.models().find(*row, {})->batch.accumulates);
}

}  // namespace
}  // namespace penstock
