#include "study/geo/geo_methods.h"

#include <gtest/gtest.h>

#include <fstream>

namespace penstock {
namespace {

TEST(GeoMethods, tell_what_is_simple_what_learns_and_what_is_a_variant) {
  EXPECT_TRUE(is_simple_router("least-loaded"));
  EXPECT_FALSE(is_simple_router("mpc"));
  EXPECT_TRUE(is_learned_router("marl-no-critic"));
  EXPECT_TRUE(is_learned_router("marl-seed7"));
  EXPECT_FALSE(is_learned_router("mpc"));
  EXPECT_TRUE(is_marl_variant("marl-seed7"));
  EXPECT_FALSE(is_marl_variant("marl"));
}

TEST(GeoMethods, have_those_that_were_trained_and_no_others) {
  const std::filesystem::path weights = std::filesystem::path(testing::TempDir()) / "geo_weights";
  std::filesystem::create_directories(weights);
  std::ofstream(weights / "geo-pai-marl-seed3.safetensors") << "x";
  const std::vector<Method> pai = geo_methods(weights, "pai");
  ASSERT_EQ(pai.size(), geo_methods(weights, "philly").size() + 1);
  EXPECT_EQ(pai.back().name, "marl-seed3");
  EXPECT_EQ(pai.back().choice.options.at("router"), "marl");
  EXPECT_EQ(pai.back().choice.options.at("site.backfill"), "easy");
}

}  // namespace
}  // namespace penstock
