#include "learn/mars/side_by_side.h"

#include <gtest/gtest.h>

#include "learn/mars/ensemble.h"
#include "learn/mars/grounds.h"
#include "learn/mars/net_chooser.h"

namespace penstock {
namespace {

std::vector<Seat> seats_at(const std::vector<Contest>& contests, bool by_chance) {
  std::vector<Seat> seats;
  for (std::size_t i = 0; i < contests.size(); ++i)
    seats.push_back({.contest = &contests[i],
                     .chance = by_chance ? std::optional(Rng(4).stream(i)) : std::nullopt});
  return seats;
}

TEST(SideBySide, plays_as_the_network_would_alone) {
  const Grounds grounds = small_grounds();
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  const auto together =
      play_all(net, seats_at(grounds.validation, false), grounds.rules, 1, nullptr);
  ASSERT_TRUE(together);
  NetChooser chooser(net.shape(), grounds.rules.window);
  for (std::size_t i = 0; i < grounds.validation.size(); ++i) {
    const Contest& contest = grounds.validation[i];
    QueueOptions options = grounds.rules.queue;
    options.origin = origin_of(contest.tasks);
    QueueWorld world(32, options);
    world.reset(contest.tasks);
    chooser.begin(contest.tasks, options.origin);
    const Measures alone =
        run_to_end(world, [&](const QueueWorld& now) { return chooser.choose(net, now); });
    EXPECT_NEAR((*together)[i], -alone.cost_slowdown_sum / contest.reference, 1e-9);
  }
}

TEST(SideBySide, rewards_add_up_to_the_return_but_for_a_constant) {
  const Grounds grounds = small_grounds({.training = 1});
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  std::vector<double> constants;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Rollout record(net.shape().item_features, net.shape().global_features, 0);
    const std::vector<Seat> seats{{&grounds.training[0], Rng(seed)}};
    const auto returns = play_all(net, seats, grounds.rules, 1, &record);
    ASSERT_TRUE(returns);
    double sum = 0;
    for (std::size_t s = 0; s < record.size(); ++s) sum += record.reward_of(s);
    constants.push_back(sum - returns->front());
  }
  for (const double constant : constants) EXPECT_NEAR(constant, constants[0], 1e-9);
  EXPECT_NEAR(constants[0], 1, 0.5);
}

TEST(SideBySide, is_the_same_on_any_number_of_threads) {
  const Grounds grounds = small_grounds();
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  std::vector<std::vector<double>> returns;
  std::vector<std::vector<float>> windows;
  for (const std::uint32_t threads : {1u, 3u}) {
    Rollout record(net.shape().item_features, net.shape().global_features, 0);
    const auto played =
        play_all(net, seats_at(grounds.training, true), grounds.rules, threads, &record);
    ASSERT_TRUE(played);
    returns.push_back(*played);
    windows.push_back(record.windows().items());
  }
  EXPECT_EQ(returns[0], returns[1]);
  EXPECT_EQ(windows[0], windows[1]);
}

TEST(SideBySide, stops_at_answers_that_are_not_finite) {
  const Grounds grounds = small_grounds();
  ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  for (float& value : net.actor.values) value = std::numeric_limits<float>::quiet_NaN();
  const auto played = play_all(net, seats_at(grounds.validation, false), grounds.rules, 1, nullptr);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().message, "the network's answers are not finite");
}

}  // namespace
}  // namespace penstock
