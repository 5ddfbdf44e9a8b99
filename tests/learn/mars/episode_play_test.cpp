#include "learn/mars/episode_play.h"

#include <gtest/gtest.h>

#include "learn/mars/ensemble.h"
#include "learn/mars/online_learner.h"
#include "learn/mars/small_data.h"
#include "learn/net/cloning.h"

namespace penstock {
namespace {

class EveryTeacher : public testing::TestWithParam<const char*> {};

TEST_P(EveryTeacher, chooses_as_its_order_does_in_a_ranked_world) {
  const TaskOrder* order = find_task_order(GetParam());
  const QueueTrainingData data = small_data({.validation = 3});
  Teacher teacher(*order);
  for (const Episode& episode : data.validation) {
    const Time origin = origin_of(episode.tasks);
    QueueWorld world(32, {.backfill = Backfill::none, .origin = origin});
    world.reset(episode.tasks);
    teacher.begin(episode.tasks, origin);
    while (world.needs_choice()) {
      QueueWorld ranked = world;
      ranked.rank_by(*order);
      const std::uint32_t choice = teacher.choose(world);
      ASSERT_EQ(choice, ranked.first());
      world.choose(choice);
    }
  }
}

TEST_P(EveryTeacher, is_copied_in_nine_of_ten_unseen_windows) {
  const TaskOrder* order = find_task_order(GetParam());
  const QueueTrainingData data = small_data({.tasks = 64, .training = 32, .validation = 16});
  const Demonstrations shown = record_demonstrations(*order, data.training, data.rules);
  const Demonstrations unseen = record_demonstrations(*order, data.validation, data.rules);
  ASSERT_GT(unseen.choices.size(), 200u);
  ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  ASSERT_TRUE(clone_choices(net, shown, {.rate = 3e-3, .passes = 20, .minibatch = 64}, Rng(2)));
  const double agreed = agreement(net, unseen);
  EXPECT_GE(agreed, 0.9);
  raise_entropy(net, shown.windows, 0.5);
  EXPECT_NEAR(mean_entropy(net, shown.windows), 0.5, 0.01);
  EXPECT_NEAR(agreement(net, unseen), agreed, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Orders, EveryTeacher,
                         testing::Values("fifo", "sjf", "wfp3", "unicep", "f1", "f2", "f3", "f4"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Demonstrations, hold_only_real_choices_of_tasks_that_are_seen) {
  QueueTrainingData data = small_data();
  data.rules.window = 4;
  const Demonstrations shown =
      record_demonstrations(*find_task_order("sjf"), data.training, data.rules);
  for (std::size_t w = 0; w < shown.windows.size(); ++w) {
    EXPECT_GE(shown.windows.count(w), 2u);
    EXPECT_LE(shown.windows.count(w), 4u);
    EXPECT_LT(shown.choices[w], shown.windows.count(w));
  }
}

std::vector<EpisodePlay> plays_of(const std::vector<Episode>& episodes, bool by_chance) {
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
      play_episodes(net, plays_of(data.validation, false), data.rules, 1, nullptr);
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
  const QueueTrainingData data = small_data();
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  std::size_t with_choices = 0;
  for (const Episode& episode : data.training) {
    std::vector<double> constants;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Rollout record(net.shape().item_features, net.shape().global_features, 0);
      const std::vector<EpisodePlay> plays{{&episode, Rng(seed)}};
      const auto returns = play_episodes(net, plays, data.rules, 1, &record);
      ASSERT_TRUE(returns);
      if (record.size() == 0) continue;                                    // no queue forms
      const double all_rewards = record.advantages(1, 1).returns.front();  // nothing is discounted
      constants.push_back(all_rewards - returns->front());
    }
    with_choices += constants.empty() ? 0 : 1;
    for (const double constant : constants) {
      EXPECT_NEAR(constant, constants[0], 1e-9);
      EXPECT_NEAR(constant, 1, 0.5);
    }
  }
  EXPECT_GE(with_choices, 10u);
}

TEST(EpisodeBatch, is_the_same_on_any_number_of_threads) {
  const QueueTrainingData data = small_data();
  const ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  std::vector<std::vector<double>> returns;
  std::vector<std::vector<float>> windows;
  for (const std::uint32_t threads : {1u, 3u}) {
    Rollout record(net.shape().item_features, net.shape().global_features, 0);
    const auto played =
        play_episodes(net, plays_of(data.training, true), data.rules, threads, &record);
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
  const auto played = play_episodes(net, plays_of(data.validation, false), data.rules, 1, nullptr);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().message, "the network's answers are not finite");
}

}  // namespace

}  // namespace penstock
