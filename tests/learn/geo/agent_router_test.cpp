#include "learn/geo/agent_router.h"

#include <gtest/gtest.h>

#include "learn/geo/geo_episode.h"
#include "learn/geo/geo_weights.h"
#include "learn/geo/toy.h"
#include "worlds/random_world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

GeoWorld geo_world(const World& world) {
  return {.cluster = world.cluster,
          .signals = world.signals,
          .forecasts = world.forecasts,
          .models = world.models,
          .costs = world.costs,
          .sim = world.sim};
}

World drawn_world(std::uint64_t seed) {
  return random_world(seed, {.most_sites = 3, .elastic = seed % 2 == 1, .homes = true});
}

GeoRules rules_of(std::string_view variant) {
  return {.variant = *find_geo_variant(variant)};
}

ActorCritic drawn_net(const GeoRules& rules, std::uint64_t seed) {
  ActorCritic net(geo_shape(rules.variant), Rng(seed));
  for (float& v : net.actor.values) v *= 3;  // so that choices differ
  return net;
}

GeoPlayed play(const World& world, const GeoRules& rules, std::unique_ptr<SiteChooser> chooser) {
  auto played = play_geo(geo_world(world), {.start = world.start(), .jobs = world.jobs}, rules,
                         std::move(chooser));
  EXPECT_TRUE(played);
  return *std::move(played);
}

TEST(AgentRouter, never_takes_what_is_barred_and_ends_every_job) {
  for (std::uint64_t seed = 1; seed <= 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const World world = drawn_world(seed);
    const GeoRules rules = rules_of(geo_variants()[seed % 3].name);
    const ActorCritic net = drawn_net(rules, seed);
    const GeoPlayed played = play(world, rules, std::make_unique<NetSiteChooser>(net, Rng(seed)));
    for (std::size_t s = 0; s < played.log.steps.size(); ++s) {
      const std::uint32_t item = played.log.steps[s].choice.item;
      EXPECT_EQ(played.log.windows[s].barred[item], 0);
    }
    for (const JobOutcome& outcome : played.outcomes) EXPECT_TRUE(outcome.ended);
    for (const float v : played.log.windows.items()) EXPECT_LE(std::abs(v), 30) << v;
  }
}

TEST(AgentRouter, lets_no_job_wait_if_that_is_barred) {
  std::size_t waited = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const World world = drawn_world(seed);
    GeoRules rules = rules_of("marl");
    const ActorCritic net = drawn_net(rules, seed);
    for (const bool waiting : {true, false}) {
      rules.waiting = waiting;
      const GeoPlayed played = play(world, rules, std::make_unique<NetSiteChooser>(net, Rng(seed)));
      for (std::size_t s = 0; s < played.log.steps.size(); ++s) {
        const bool barred = played.log.windows[s].barred.back() != 0;
        EXPECT_TRUE(barred || waiting) << seed;
        waited += barred ? 0 : 1;
      }
      for (const JobOutcome& outcome : played.outcomes) EXPECT_TRUE(outcome.ended);
    }
  }
  EXPECT_GT(waited, 0u);
}

/// Waits whenever it may; then goes to the first site that is open.
class Procrastinator final : public SiteChooser {
 public:
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override {
    out.clear();
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const auto barred = windows[w].barred;
      const auto wait = static_cast<std::uint32_t>(barred.size() - 1);
      const auto first = static_cast<std::uint32_t>(std::ranges::find(barred, 0) - barred.begin());
      out.push_back({barred[wait] == 0 ? wait : first, 0});
    }
  }
};

TEST(AgentRouter, lets_no_job_wait_beyond_a_deadline_that_could_be_met) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    World world = random_world(seed, {.most_jobs = 1,
                                      .most_sites = 3,
                                      .requests = Requests::exact,
                                      .failures = false,
                                      .sleep = false,
                                      .homes = true});
    world.sim.outages.clear();
    Job& job = world.jobs[0].job;
    job.deadline = job.submitted + 2 * world.jobs[0].actual + 20s;  // time to move, too
    const GeoPlayed played = play(world, rules_of("marl"), std::make_unique<Procrastinator>());
    EXPECT_FALSE(played.outcomes[0].late);
    EXPECT_GT(played.log.steps.size(), 1u);
  }
}

/// Replaces what only a critic may see by noise.
class Scrambling final : public SiteChooser {
 public:
  explicit Scrambling(const ActorCritic& net) : inner_(net) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override {
    Windows scrambled(windows.item_features(), windows.global_features());
    std::vector<float> noise(windows.global_features());
    for (std::size_t w = 0; w < windows.size(); ++w) {
      for (float& v : noise) v = static_cast<float>(rng_.normal(0, 10));
      scrambled.add({windows[w].items, noise, windows[w].barred});
    }
    inner_.choose(scrambled, out);
  }

 private:
  NetSiteChooser inner_;
  Rng rng_{7};
};

std::vector<std::uint32_t> actions_of(const GeoPlayed& played) {
  std::vector<std::uint32_t> actions;
  for (const auto& step : played.log.steps) actions.push_back(step.choice.item);
  return actions;
}

TEST(AgentRouter, does_the_same_whatever_only_the_critic_sees) {
  const GeoRules rules = rules_of("marl");
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const World world = drawn_world(seed);
    const ActorCritic net = drawn_net(rules, seed);
    const GeoPlayed plain = play(world, rules, std::make_unique<NetSiteChooser>(net));
    const GeoPlayed blurred = play(world, rules, std::make_unique<Scrambling>(net));
    EXPECT_EQ(actions_of(plain), actions_of(blurred)) << seed;
  }
}

TEST(AgentRouter, does_the_same_with_a_network_from_a_file) {
  const GeoRules rules{.variant = *find_geo_variant("marl"), .scale = {2, 0.1, 300}};
  const GeoAgent agent{.net = drawn_net(rules, 3), .rules = rules, .about = {{"scenario", "toy"}}};
  const auto again = decode_geo_agent(encode_geo_agent(agent), "marl");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->rules.scale, rules.scale);
  EXPECT_EQ(again->about, agent.about);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const World world = drawn_world(seed);
    const GeoPlayed one = play(world, rules, std::make_unique<NetSiteChooser>(agent.net));
    const GeoPlayed two = play(world, again->rules, std::make_unique<NetSiteChooser>(again->net));
    EXPECT_EQ(actions_of(one), actions_of(two)) << seed;
  }
}

TEST(AgentRouter, sends_files_at_any_cost_if_it_is_not_told_of_it) {
  GeoWorld world = Toy::world();
  std::swap(world.signals[0].price, world.signals[1].price);  // home is the dear one
  for (Link& link : world.cluster.network.links) link.per_gigabyte = Money(10);
  world.cluster.network.energy_per_gigabyte = Joules(0.06 * kJoulesPerKwh);
  GeoEpisode episode{.start = Toy::episode(0, 1).start,
                     .scale = {.kwh = 1, .price = 0.1, .carbon = 100}};
  Toy::add(episode, episode.start, 1h, 4h, 1);
  GeoRules rules = rules_of("marl");
  const auto thrifty = [&] {
    auto played = play_geo(world, episode, rules, std::make_unique<ThriftyChooser>(false));
    EXPECT_TRUE(played);
    return *std::move(played);
  };
  EXPECT_EQ(thrifty().outcomes[0].site, SiteId{0});
  rules.transfers = false;
  const GeoPlayed played = thrifty();
  const JobOutcome& sent = played.outcomes[0];
  EXPECT_EQ(sent.site, SiteId{1});
  EXPECT_GT(sent.transfer, 10);
  EXPECT_GT(sent.transfer_carbon, 0);
  EXPECT_NEAR(played.mean_return, -1, 1e-9);  // as if nothing had been sent
  const auto told = rewards_of(played.outcomes, rules.weights, played.scale, RewardScope::own);
  EXPECT_LT(told[0], -10);
}

TEST(AgentRouter, tells_jobs_of_one_instant_who_went_before_them) {
  GeoWorld world = Toy::world();
  GeoEpisode episode{.start = Toy::episode(0, 1).start};
  for (int i = 0; i < 2; ++i) Toy::add(episode, episode.start, 1h, 65min, 0);
  const auto played =
      play_geo(world, episode, rules_of("marl"), std::make_unique<ThriftyChooser>(false));
  ASSERT_TRUE(played);
  EXPECT_EQ(played->outcomes[0].site, SiteId{0});
  EXPECT_EQ(played->outcomes[1].site, SiteId{1});  // the cheap one has no room any more
}

}  // namespace
}  // namespace penstock
