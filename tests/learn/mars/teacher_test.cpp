#include "learn/mars/teacher.h"

#include <gtest/gtest.h>

#include "learn/mars/ensemble.h"
#include "learn/mars/grounds.h"
#include "learn/mars/soften.h"

namespace penstock {
namespace {

class EveryTeacher : public testing::TestWithParam<const char*> {};

TEST_P(EveryTeacher, chooses_as_its_order_does_in_a_ranked_world) {
  const TaskOrder* order = find_task_order(GetParam());
  const Grounds grounds = small_grounds({.validation = 3});
  Teacher teacher(*order);
  for (const Contest& contest : grounds.validation) {
    const Time origin = origin_of(contest.tasks);
    QueueWorld world(32, {.backfill = Backfill::none, .origin = origin});
    world.reset(contest.tasks);
    teacher.begin(contest.tasks, origin);
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
  const Grounds grounds = small_grounds({.tasks = 64, .training = 32, .validation = 16});
  const Lessons lessons = watch(*order, grounds.training, grounds.rules);
  const Lessons unseen = watch(*order, grounds.validation, grounds.rules);
  ASSERT_GT(unseen.choices.size(), 200u);
  ActorCritic net(observer_shape(ActorKind::kernel), Rng(1));
  ASSERT_TRUE(clone_choices(net, lessons.windows, lessons.choices,
                            {.rate = 3e-3, .passes = 20, .minibatch = 64}, Rng(2)));
  const double agreed = agreement(net, unseen.windows, unseen.choices);
  EXPECT_GE(agreed, 0.9);
  soften(net, lessons.windows, 0.5);
  EXPECT_NEAR(mean_entropy(net, lessons.windows), 0.5, 0.01);
  EXPECT_NEAR(agreement(net, unseen.windows, unseen.choices), agreed, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Orders, EveryTeacher,
                         testing::Values("fifo", "sjf", "wfp3", "unicep", "f1", "f2", "f3", "f4"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Lessons, hold_only_real_choices_of_tasks_that_are_seen) {
  Grounds grounds = small_grounds();
  grounds.rules.window = 4;
  const Lessons lessons = watch(*find_task_order("sjf"), grounds.training, grounds.rules);
  for (std::size_t w = 0; w < lessons.windows.size(); ++w) {
    EXPECT_GE(lessons.windows.count(w), 2u);
    EXPECT_LE(lessons.windows.count(w), 4u);
    EXPECT_LT(lessons.choices[w], lessons.windows.count(w));
  }
}

}  // namespace
}  // namespace penstock
