#include "learn/geo/learned_routers.h"

#include <gtest/gtest.h>

#include "learn/geo/toy.h"
#include "learn/mars/learned_policies.h"

namespace penstock {
namespace {

std::string refusal(const Options& options) {
  const GeoWorld world = Toy::world();
  const auto made = every_policy().make({.cluster = world.cluster}, "geo", options);
  return made ? "" : made.error().message;
}

TEST(LearnedRouters, say_what_they_need) {
  EXPECT_EQ(refusal({{"router", "thrifty"}}), "");
  EXPECT_NE(refusal({{"router", "marl"}}).find("needs a file of weights"), std::string::npos);
  EXPECT_NE(refusal({{"router", "thrifty"}, {"wait", "cheapest"}}).find("is not possible with"),
            std::string::npos);
  EXPECT_NE(refusal({{"router", "marl"}, {"weights", "nowhere.safetensors"}}).find("nowhere"),
            std::string::npos);
}

}  // namespace
}  // namespace penstock
