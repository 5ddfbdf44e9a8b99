#include "learn/geo/learned_routers.h"

#include <gtest/gtest.h>

#include "learn/geo/toy.h"
#include "learn/mars/learned_policies.h"
#include "registry/registry.h"
#include "worlds/random_world.h"
#include "worlds/reasons.h"

namespace penstock {
namespace {

std::string router_refusal(const Options& options) {
  const GeoWorld world = Toy::world();
  const auto made = every_policy().make({.cluster = world.cluster}, "geo", options);
  return made ? "" : made.error().message;
}

TEST(LearnedRouters, say_what_they_need) {
  EXPECT_EQ(router_refusal({{"router", "thrifty"}}), "");
  EXPECT_NE(router_refusal({{"router", "marl"}}).find("needs a file of weights"),
            std::string::npos);
  EXPECT_NE(
      router_refusal({{"router", "thrifty"}, {"wait", "cheapest"}}).find("is not possible with"),
      std::string::npos);
  EXPECT_NE(
      router_refusal({{"router", "marl"}, {"weights", "nowhere.safetensors"}}).find("nowhere"),
      std::string::npos);
}

TEST(LearnedRouters, say_why_and_do_the_same_unasked) {
  for (std::uint64_t seed = 1; seed <= 20 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const World world = random_world(seed, {.most_sites = 3, .homes = true});
    const auto run = [&](bool explain) {
      auto made = every_policy().make({.cluster = world.cluster, .start = world.start()}, "geo",
                                      {{"router", seed % 2 == 0 ? "thrifty" : "thrifty-wait"}});
      return run_logged(world, **made, world.models, explain);
    };
    const RunLog log = run(true);
    expect_reasons(log);
    expect_same_unexplained(log, run(false), world.start());
  }
}

}  // namespace
}  // namespace penstock
