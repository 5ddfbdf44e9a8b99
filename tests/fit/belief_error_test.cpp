#include "fit/belief_error.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

Profile plain() {
  return {.speed = {.alpha_c = 1, .alpha_r = 1, .beta_r = 1, .alpha_n = 1, .beta_n = 1},
          .power = {.p0 = Watts(100), .p3 = Watts(100)},
          .batch = {.least = 8, .most = 64, .local_most = 16},
          .gpus_most = 16};
}

TEST(BeliefError, is_nothing_for_the_truth) {
  const BeliefError error = belief_error(plain(), plain());
  EXPECT_EQ(error.throughput, 0);
  EXPECT_EQ(error.draw, 0);
}

TEST(BeliefError, is_one_half_for_a_belief_of_twice_the_time_and_half_the_draw) {
  Profile believed = plain();
  for (const auto part : {&SpeedModel::alpha_c, &SpeedModel::alpha_r, &SpeedModel::beta_r,
                          &SpeedModel::alpha_n, &SpeedModel::beta_n})
    believed.speed.*part *= 2;
  believed.power = {.p0 = Watts(50), .p3 = Watts(50)};
  const BeliefError error = belief_error(believed, plain());
  EXPECT_NEAR(error.throughput, 0.5, 1e-12);
  EXPECT_NEAR(error.draw, 0.5, 1e-12);
}

TEST(BeliefError, of_a_table_is_over_what_it_holds) {
  Profile truth = table_profile("lstm", "tesla", {{1, 40.0}, {3, 20.0}});
  truth.power.p0 = Watts(100);
  Profile believed = truth;
  believed.epoch_seconds = {40, 0, 10};
  EXPECT_NEAR(belief_error(believed, truth).throughput, 0.5, 1e-12);
  EXPECT_EQ(belief_error(believed, truth).draw, 0);
}

}  // namespace
}  // namespace penstock
