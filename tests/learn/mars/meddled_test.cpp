// Learned policies in worlds that do not do as they say; see tests/sim/meddled_test.cpp.
#include <gtest/gtest.h>

#include "learn/mars/learned_policies.h"
#include "registry/registry.h"
#include "worlds/meddler.h"
#include "worlds/random_world.h"
#include "worlds/replay.h"

namespace penstock {
namespace {

void expect_sound_run(const World& world, std::string_view name, const Options& options,
                      const Meddling& meddling) {
  auto policy = every_policy().make(
      {.cluster = world.cluster, .costs = world.costs, .start = world.start()}, name, options);
  ASSERT_TRUE(policy) << policy.error().message;
  const RunLog log = run_meddled(world, **policy, meddling);
  const Replay replay(world, log);
  EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
  EXPECT_EQ(log.result.ended, world.jobs.size());
}

TEST(LearnedMeddled, mars_goes_on) {
  for (std::uint64_t seed = 1; seed <= 30 && !testing::Test::HasFailure(); ++seed)
    expect_sound_run(random_world(seed, {.elastic = seed % 2 == 1}), "mars", {},
                     {.starts = 0.4, .refusals = 0.3, .seed = seed});
}

TEST(LearnedMeddled, agents_go_on) {
  for (std::uint64_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed)
    for (const char* router : {"thrifty", "thrifty-wait"})
      expect_sound_run(random_world(seed, {.homes = true}), "geo",
                       {{"router", router}, {"site", "srtf"}},
                       {.starts = 0.4, .refusals = 0.3, .seed = seed});
}

}  // namespace
}  // namespace penstock
