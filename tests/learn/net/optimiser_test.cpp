#include "learn/net/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

TEST(Adam, first_steps_by_the_rate_whatever_the_slope) {
  Adam adam(2);
  std::vector<float> x{1, 1};
  adam.step(x, std::vector<float>{1000, -0.001F}, 0.1);
  EXPECT_NEAR(x[0], 0.9, 1e-5);
  EXPECT_NEAR(x[1], 1.1, 1e-5);
  EXPECT_EQ(adam.steps(), 1u);
}

TEST(Adam, finds_the_bottom_of_a_bowl) {
  Adam adam(1);
  std::vector<float> x{5};
  for (int i = 0; i < 2000; ++i) adam.step(x, std::vector<float>{2 * (x[0] - 3)}, 0.01);
  EXPECT_NEAR(x[0], 3, 1e-3);
}

TEST(Adam, gradients_are_cut_to_length_and_keep_their_direction) {
  std::vector<float> g{3, 4};
  EXPECT_EQ(clip_length(g, 1), 5);
  EXPECT_NEAR(g[0], 0.6, 1e-6);
  EXPECT_NEAR(g[1], 0.8, 1e-6);
  EXPECT_NEAR(clip_length(g, 2), 1, 1e-6);
  EXPECT_NEAR(g[0], 0.6, 1e-6);
  EXPECT_EQ(clip_length(g, 0), std::hypot(double{g[0]}, double{g[1]}));
}

}  // namespace

}  // namespace penstock
