#include "learn/geo/geo_episode.h"

#include <gtest/gtest.h>

#include "learn/geo/toy.h"

namespace penstock {
namespace {

TEST(GeoRivals, are_told_the_best_first_and_as_returns_of_training) {
  GeoTrainingData data = Toy::data();
  ASSERT_TRUE(set_scales(data.world, data.validation, 1));
  const GeoRules rules{.variant = *find_geo_variant("marl")};
  const auto rivals = geo_baselines(data.world, rules, data.validation, 2);
  ASSERT_TRUE(rivals) << rivals.error().message;
  EXPECT_EQ(rivals->size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(*rivals, std::greater<>(), &GeoBaseline::mean_return));
  const auto local = std::ranges::find(*rivals, "local", &GeoBaseline::name);
  ASSERT_NE(local, rivals->end());
  // A mean job of local costs 0.5 + 0.5. By day, where 3 of 9 jobs live, short ones are late.
  EXPECT_NEAR(local->mean_return, -1 - 3.0 / 9, 1e-9);
}

}  // namespace

}  // namespace penstock
