// Policies in worlds that do not do as they say: somebody else starts jobs, decisions are refused,
// and some jobs must never be touched. What every policy must keep, it must keep here too.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "worlds/meddler.h"
#include "worlds/random_world.h"
#include "worlds/replay.h"
#include "worlds/worlds_to_try.h"

namespace penstock {
namespace {

struct MeddledVariant {
  std::string name;
  std::string_view policy;
  Options options;
};

std::vector<MeddledVariant> meddled_variants() {
  std::vector<MeddledVariant> variants;
  for (const PolicyEntry& entry : core_policies().all()) {
    const bool passes = std::ranges::any_of(
        entry.options, [](const OptionSpec& spec) { return spec.name == "backfill"; });
    const auto add = [&](const std::string& name, Options options) {
      if (entry.name == "las") options["quantum"] = "20 s";
      variants.push_back({std::string(entry.name) + name, entry.name, std::move(options)});
    };
    add("", {});
    if (!passes) continue;
    add("_easy", {{"backfill", "easy"}});
    add("_conservative", {{"backfill", "conservative"}, {"place", "buddy"}});
    add("_some", {{"backfill", "3"}, {"place", "consolidate"}});
  }
  variants.push_back({"geo_cheapest_srtf", "geo", {{"router", "cheapest"}, {"site", "srtf"}}});
  variants.push_back(
      {"geo_least_powerflow", "geo", {{"router", "least-loaded"}, {"site", "powerflow"}}});
  variants.push_back({"andreas_clocks", "andreas", {{"clocks", "free"}}});
  variants.push_back({"geo_mpc_andreas", "geo", {{"router", "mpc"}, {"site", "andreas"}}});
  return variants;
}

class Meddled : public testing::TestWithParam<MeddledVariant> {
 protected:
  static constexpr std::uint64_t kWorlds = worlds_to_try(24);

  template <class Look>
  void for_each_world(const Look& look) const {
    std::uint64_t first = 5000;
    for (const char c : GetParam().name) first = first * 31 + static_cast<unsigned char>(c);
    first %= 1'000'000;
    for (std::uint64_t seed = first; seed < first + kWorlds && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "world " << seed);
      World world = random_world(seed, {.elastic = seed % 2 == 1,
                                        .fronts = seed % 8 == 5,
                                        .homes = GetParam().policy == "geo" && seed % 4 == 0});
      if (seed % 3 > 0) pin_some(world, seed);
      look(world, seed);
    }
  }

  static void pin_some(World& world, std::uint64_t seed) {
    Rng rng = Rng(seed).stream("pins");
    for (TracedJob& traced : world.jobs)
      if (rng.uniform() < 0.4) traced.job.pinned = true;
  }

  RunLog run_in(const World& world, const Meddling& meddling) const {
    auto policy = core_policies().make(
        {.cluster = world.cluster, .costs = world.costs, .start = world.start()}, GetParam().policy,
        GetParam().options);
    EXPECT_TRUE(policy) << (policy ? "" : policy.error().message);
    return run_meddled(world, **policy, meddling);
  }

  void expect_sound(const World& world, const Meddling& meddling) const {
    const RunLog log = run_in(world, meddling);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front() << "\n"
                                         << text_of(log.turns, world.start());
    EXPECT_EQ(log.result.ended, world.jobs.size());
  }
};

TEST_P(Meddled, goes_on_when_somebody_else_starts_jobs) {
  for_each_world([&](const World& world, std::uint64_t seed) {
    expect_sound(world, {.starts = 0.6, .seed = seed});
  });
}

TEST_P(Meddled, goes_on_when_decisions_are_refused) {
  for_each_world([&](const World& world, std::uint64_t seed) {
    expect_sound(world, {.refusals = 0.3, .seed = seed});
  });
}

TEST_P(Meddled, goes_on_when_both_happen) {
  for_each_world([&](const World& world, std::uint64_t seed) {
    expect_sound(world, {.starts = 0.4, .refusals = 0.5, .seed = seed});
  });
}

TEST_P(Meddled, goes_on_when_jobs_are_not_as_far_as_believed) {
  for_each_world([&](const World& world, std::uint64_t seed) {
    expect_sound(world, {.starts = 0.2, .refusals = 0.1, .seed = seed, .measures = 0.5});
  });
}

TEST_P(Meddled, gives_the_same_run_twice) {
  for_each_world([&](const World& world, std::uint64_t seed) {
    const Meddling meddling{.starts = 0.4, .refusals = 0.2, .seed = seed, .measures = 0.2};
    EXPECT_EQ(text_of(run_in(world, meddling).turns, world.start()),
              text_of(run_in(world, meddling).turns, world.start()));
  });
}

/// The worlds above would prove nothing if nobody meddled in them.
TEST(Meddling, happens) {
  std::size_t started = 0;
  std::size_t refused = 0;
  std::size_t measured = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const World world = random_world(seed, {});
    auto policy = core_policies().make(
        {.cluster = world.cluster, .costs = world.costs, .start = world.start()}, "srtf", {});
    ASSERT_TRUE(policy);
    for (const Turn& turn : run_meddled(world, **policy, {0.6, 0.3, seed, 0.5}).turns)
      for (const Event& event : turn.events) {
        measured += std::holds_alternative<JobMeasured>(event) ? 1 : 0;
        started += std::holds_alternative<JobStarted>(event) ? 1 : 0;
        refused += std::holds_alternative<Refused>(event) ? 1 : 0;
      }
  }
  EXPECT_GT(started, 24u);
  EXPECT_GT(refused, 24u);
  EXPECT_GT(measured, 100u);
}

std::string meddled_name(const testing::TestParamInfo<MeddledVariant>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, Meddled, testing::ValuesIn(meddled_variants()), meddled_name);

}  // namespace
}  // namespace penstock
