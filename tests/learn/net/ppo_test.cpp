#include "learn/net/ppo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learn/net/toys.h"

namespace penstock {
namespace {

PpoSettings quick_ppo() {
  return {.policy_rate = 3e-3,
          .value_rate = 3e-3,
          .policy_iterations = 10,
          .value_iterations = 10,
          .target_divergence = 0.02,
          .minibatch = 0};
}

Ppo beginner(ActorKind kind = ActorKind::kernel) {
  return {ActorCritic({kind, ToyMachine::kFeatures, 0}, Rng(1)), quick_ppo(), Rng(2)};
}

/// Plays and learns so many times, in worlds that the number of updates tells.
void train(Ppo& ppo, int updates, std::uint32_t worlds) {
  for (int u = 0; u < updates; ++u) {
    const auto report = ppo.update(play(ppo.net(), worlds, Rng(3).stream(ppo.updates())));
    ASSERT_TRUE(report) << report.error().message;
  }
}

std::string bytes_of(const Ppo& ppo) {
  Weights weights;
  ppo.store(weights);
  return encode_weights(weights);
}

class EveryActorLearns : public testing::TestWithParam<ActorKind> {};

TEST_P(EveryActorLearns, the_best_order_where_the_greedy_one_is_wrong) {
  Ppo ppo = beginner(GetParam());
  train(ppo, 60, 64);
  const Rng unseen = Rng(4).stream("unseen");
  const double best = mean_bill(unseen, 500, [](const ToyMachine& m) { return m.best(); });
  const double greedy = mean_bill(unseen, 500, [](const ToyMachine& m) { return m.greedy(); });
  const double learned =
      mean_bill(unseen, 500, [&](const ToyMachine& m) { return best_of(ppo.net(), m); });
  EXPECT_GT(greedy, 1.1 * best);
  EXPECT_LT(learned, 1.02 * best);
}

INSTANTIATE_TEST_SUITE_P(Ppo, EveryActorLearns,
                         testing::Values(ActorKind::kernel, ActorKind::attention));

float cost_of(std::span<const float> item) {
  return item[0] + 2 * item[1];
}

/// Windows of two to seven items with two features each; one item of each must not be picked.
void draw_items(Windows& windows, std::uint32_t count, Rng rng) {
  for (std::uint32_t w = 0; w < count; ++w) {
    std::vector<float> items(2 * (2 + rng.below(6)));
    for (float& v : items) v = static_cast<float>(rng.uniform());
    std::vector<std::uint8_t> barred(items.size() / 2, 0);
    barred[rng.below(barred.size())] = 1;
    windows.add({.items = items, .barred = barred});
  }
}

/// Of the items that may be picked.
double least_cost(const Windows& windows, std::size_t w) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < windows.count(w); ++i)
    if (windows[w].barred[i] == 0)
      least = std::min<double>(least, cost_of(windows[w].items.subspan(2 * i, 2)));
  return least;
}

TEST(Ppo, learns_to_pick_the_cheapest_item_it_may) {
  ActorCritic net({ActorKind::kernel, 2, 0}, Rng(1));
  Ppo ppo(net, quick_ppo(), Rng(2));
  std::vector<float> logits;
  Categorical now;
  for (std::uint32_t u = 0; u < 25; ++u) {
    Windows windows(2, 0);
    draw_items(windows, 256, Rng(5).stream(u));
    ppo.net().logits(windows, logits);
    Rollout rollout(2, 0, 1);
    Rng rng = Rng(6).stream(u);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      ASSERT_TRUE(now.set(windows.of(w, std::span<const float>(logits)), windows[w].barred));
      const std::uint32_t action = now.at(rng.uniform());
      rollout.add(0, windows[w], {action, now.log_probability(action), 0});
      rollout.reward(0, -cost_of(windows[w].items.subspan(2 * action, 2)));
      rollout.end(0);
    }
    ASSERT_TRUE(ppo.update(rollout));
  }
  Windows unseen(2, 0);
  draw_items(unseen, 500, Rng(7));
  ppo.net().logits(unseen, logits);
  double learned = 0;
  double best = 0;
  for (std::size_t w = 0; w < unseen.size(); ++w) {
    ASSERT_TRUE(now.set(unseen.of(w, std::span<const float>(logits)), unseen[w].barred));
    learned += cost_of(unseen[w].items.subspan(2 * now.best(), 2));
    best += least_cost(unseen, w);
  }
  EXPECT_LT(learned, 1.02 * best);
}

TEST(Ppo, gives_the_same_bits_for_the_same_seed) {
  Ppo one = beginner();
  Ppo two = beginner();
  train(one, 3, 16);
  train(two, 3, 16);
  EXPECT_EQ(bytes_of(one), bytes_of(two));
}

TEST(Ppo, gives_the_same_bits_on_any_number_of_threads) {
  PpoSettings settings = quick_ppo();
  Ppo one(beginner().net(), settings, Rng(2));
  settings.threads = 3;
  Ppo three(beginner().net(), settings, Rng(2));
  const Rollout rollout = play(one.net(), 400, Rng(3));  // enough to be divided
  ASSERT_TRUE(one.update(rollout));
  ASSERT_TRUE(three.update(rollout));
  EXPECT_EQ(bytes_of(one), bytes_of(three));
}

TEST(Ppo, goes_on_after_a_kill_as_if_nothing_had_happened) {
  PpoSettings settings = quick_ppo();
  settings.minibatch = 20;  // draws from chance
  Ppo lasting(beginner().net(), settings, Rng(2));
  train(lasting, 2, 16);
  const auto saved = decode_weights(bytes_of(lasting));
  ASSERT_TRUE(saved);
  auto resumed = Ppo::load(*saved, settings);
  ASSERT_TRUE(resumed) << resumed.error().message;
  train(lasting, 3, 16);
  train(*resumed, 3, 16);
  EXPECT_EQ(resumed->updates(), 5u);
  EXPECT_EQ(bytes_of(lasting), bytes_of(*resumed));
}

TEST(Ppo, keeps_the_last_good_numbers_when_a_reward_is_not_one) {
  Ppo ppo = beginner();
  train(ppo, 1, 8);
  const std::string before = bytes_of(ppo);
  Rollout rollout = play(ppo.net(), 8, Rng(5));
  rollout.reward(3, std::numeric_limits<double>::quiet_NaN());
  const auto report = ppo.update(rollout);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message,
            "the return of step 3 is not finite in update 2: nothing was changed by it");
  EXPECT_EQ(bytes_of(ppo), before);
}

TEST(Ppo, keeps_the_last_good_numbers_when_a_loss_is_not_one) {
  Ppo ppo = beginner();
  train(ppo, 1, 8);
  const std::string before = bytes_of(ppo);
  Rollout rollout = play(ppo.net(), 8, Rng(5));
  const std::vector<float> broken{std::numeric_limits<float>::quiet_NaN(), 1, 1, 1};
  rollout.add(0, {.items = broken}, {.action = 1, .log_probability = -0.7});
  const auto report = ppo.update(rollout);
  ASSERT_FALSE(report);
  EXPECT_EQ(
      report.error().message,
      "the actor's loss or its gradient is not finite in update 2: nothing was changed by it");
  EXPECT_EQ(bytes_of(ppo), before);
}

TEST(Ppo, stops_passes_when_the_policy_has_changed_enough) {
  PpoSettings settings = quick_ppo();
  settings.policy_rate = 0.05;
  settings.policy_iterations = 50;
  Ppo ppo(beginner().net(), settings, Rng(2));
  const auto report = ppo.update(play(ppo.net(), 32, Rng(3)));
  ASSERT_TRUE(report);
  EXPECT_LT(report->policy_steps, 50u);
  EXPECT_GT(report->divergence, 1.5 * settings.target_divergence);
  EXPECT_EQ(report->value_steps, settings.value_iterations);
}

TEST(Ppo, leaves_the_actor_alone_when_asked_to) {
  PpoSettings settings = quick_ppo();
  settings.policy_iterations = 0;
  Ppo ppo(beginner().net(), settings, Rng(2));
  const std::vector<float> before = ppo.net().actor.values;
  train(ppo, 20, 32);
  EXPECT_EQ(ppo.net().actor.values, before);
  const auto report = ppo.update(play(ppo.net(), 32, Rng(3)));
  ASSERT_TRUE(report);
  EXPECT_GT(report->explained, 0.3);  // but its critic foresees what comes
}

TEST(Ppo, slows_down_to_a_stop_by_a_linear_schedule) {
  PpoSettings settings = quick_ppo();
  settings.schedule = RateSchedule::linear;
  settings.updates = 2;
  Ppo ppo(beginner().net(), settings, Rng(2));
  train(ppo, 2, 8);
  const std::vector<float> before = ppo.net().actor.values;
  train(ppo, 1, 8);
  EXPECT_EQ(ppo.net().actor.values, before);
}

TEST(Ppo, says_what_a_checkpoint_lacks) {
  Weights weights;
  beginner().net().store(weights);
  EXPECT_EQ(Ppo::load(weights, {}).error().message, "adam.actor.mean: there is no such tensor");
}

}  // namespace
}  // namespace penstock
