#include "learn/net/training_state.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

TEST(Curve, comes_back_as_it_was_stored) {
  Weights weights;
  put_curve(weights, std::vector<CurvePoint>{{.validation = -0.5, .best = -0.5},
                                             {.member = 1, .update = 7, .decisions = 1'000'000}});
  const auto again = stored_curve(weights);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->size(), 2u);
  EXPECT_EQ((*again)[0].validation, -0.5);
  EXPECT_TRUE(std::isnan((*again)[0].entropy));
  EXPECT_EQ((*again)[1].member, 1u);
  EXPECT_EQ((*again)[1].update, 7u);
  EXPECT_EQ((*again)[1].decisions, 1'000'000u);
}

TEST(Curve, that_is_not_there_or_counts_nonsense_is_refused) {
  EXPECT_FALSE(stored_curve({}));
  Weights weights;
  put_curve(weights, std::vector<CurvePoint>{{}});
  std::get<std::vector<double>>(weights.tensors["curve"].values)[1] = -1;
  const auto again = stored_curve(weights);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "curve: holds what cannot be counted");
}

}  // namespace

}  // namespace penstock
