#include "learn/mars/teacher.h"

#include <gtest/gtest.h>

#include "learn/mars/ensemble.h"
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

}  // namespace
}  // namespace penstock
