#include "learn/mars/episode_batch.h"

#include <gtest/gtest.h>

#include "learn/mars/ensemble.h"
#include "learn/mars/online_learner.h"
#include "learn/mars/small_data.h"

namespace penstock {
namespace {

std::vector<EpisodePlay> seats_at(const std::vector<Episode>& episodes, bool by_chance) {
  std::vector<EpisodePlay> plays;
  for (std::size_t i = 0; i < episodes.size(); ++i)
    plays.push_back({.episode = &episodes[i],
                     .chance = by_chance ? std::optional(Rng(4).stream(i)) : std::nullopt});
  return plays;
}

TEST(EpisodeBatch, plays_as_the_network_would_alone) {
  const QueueTrainingData data = small_data();
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  const auto together =
      play_episodes(net, seats_at(data.validation, false), data.rules, 1, nullptr);
  ASSERT_TRUE(together);
  NetChooser chooser(net.shape(), data.rules.window);
  for (std::size_t i = 0; i < data.validation.size(); ++i) {
    const Episode& episode = data.validation[i];
    QueueOptions options = data.rules.queue;
    options.origin = origin_of(episode.tasks);
    QueueWorld world(32, options);
    world.reset(episode.tasks);
    chooser.begin(episode.tasks, options.origin);
    const Measures alone =
        run_to_end(world, [&](const QueueWorld& now) { return chooser.choose(net, now); });
    EXPECT_NEAR((*together)[i], -alone.cost_slowdown_sum / episode.reference, 1e-9);
  }
}

TEST(EpisodeBatch, rewards_add_up_to_the_return_but_for_a_constant) {
  const QueueTrainingData data = small_data({.training = 1});
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  std::vector<double> constants;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Rollout record(net.shape().item_features, net.shape().global_features, 0);
    const std::vector<EpisodePlay> plays{{&data.training[0], Rng(seed)}};
    const auto returns = play_episodes(net, plays, data.rules, 1, &record);
    ASSERT_TRUE(returns);
    double sum = 0;
    for (std::size_t s = 0; s < record.size(); ++s) sum += record.reward_of(s);
    constants.push_back(sum - returns->front());
  }
  for (const double constant : constants) EXPECT_NEAR(constant, constants[0], 1e-9);
  EXPECT_NEAR(constants[0], 1, 0.5);
}

TEST(EpisodeBatch, is_the_same_on_any_number_of_threads) {
  const QueueTrainingData data = small_data();
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  std::vector<std::vector<double>> returns;
  std::vector<std::vector<float>> windows;
  for (const std::uint32_t threads : {1u, 3u}) {
    Rollout record(net.shape().item_features, net.shape().global_features, 0);
    const auto played =
        play_episodes(net, seats_at(data.training, true), data.rules, threads, &record);
    ASSERT_TRUE(played);
    returns.push_back(*played);
    windows.push_back(record.windows().items());
  }
  EXPECT_EQ(returns[0], returns[1]);
  EXPECT_EQ(windows[0], windows[1]);
}

TEST(EpisodeBatch, stops_at_answers_that_are_not_finite) {
  const QueueTrainingData data = small_data();
  ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  for (float& value : net.actor.values) value = std::numeric_limits<float>::quiet_NaN();
  const auto played = play_episodes(net, seats_at(data.validation, false), data.rules, 1, nullptr);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().message, "the network's answers are not finite");
}

}  // namespace

}  // namespace penstock
