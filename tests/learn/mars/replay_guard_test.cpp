#include "learn/mars/replay_guard.h"

#include <gtest/gtest.h>

#include "learn/mars/small_data.h"

namespace penstock {
namespace {

/// What a retrospect concludes when everybody is served by one strategy, in truth.
struct Lived {
  const Strategy* better = nullptr;
  double share = 1;
};

const std::vector<std::string_view> kBaselines{"fifo", "sjf", "sjf+easy"};

Lived live(const Strategy& strategy, const std::vector<std::string_view>& names,
           const ReplayGuardRules& rules) {
  auto made = TaskSequence::make(busy_tasks(700, 5), 32);
  PENSTOCK_CHECK(made);
  const TaskSequence tasks = *std::move(made);
  QueueWorld world(32, {});
  world.reset(tasks);
  follow(world, strategy);
  std::vector<const Strategy*> baselines;
  for (const std::string_view name : names) baselines.push_back(find_strategy(name));
  ReplayGuard guard(baselines, Reward::slowdown, rules);
  while (world.needs_choice()) {
    guard.on_ready(world);
    world.choose(world.first());
    for (const std::uint32_t task : world.started())
      guard.on_started(tasks[task].id, world.run_of(task).start, world.run_of(task).gpus);
    for (const std::uint32_t task : world.ended())
      guard.on_ended(tasks[task].id, world.run_of(task).end - world.run_of(task).start);
  }
  return {guard.better(), guard.share()};
}

TEST(ReplayGuard, finds_who_would_surely_have_done_better) {
  const Lived lived = live(*find_strategy("fifo"), kBaselines, {});
  ASSERT_NE(lived.better, nullptr);
  EXPECT_NE(lived.better->name, "fifo");
  EXPECT_LT(lived.share, 0.5);
}

TEST(ReplayGuard, lets_the_best_be) {
  const Lived lived = live(*find_strategy("sjf+easy"), kBaselines, {});
  EXPECT_EQ(lived.better, nullptr);
}

TEST(ReplayGuard, comes_to_what_was_paid_when_it_plays_the_same_again) {
  for (const std::string_view name : {"fifo", "sjf+easy", "unicep", "f1+easy"})
    for (const std::uint32_t longest : {2u, 100u})
      EXPECT_EQ(live(*find_strategy(name), {name}, {.fewest = 1, .longest = longest}).share, 1)
          << name;
}

TEST(ReplayGuard, lets_be_who_is_better_by_less_than_the_margin) {
  const Lived lived = live(*find_strategy("fifo"), kBaselines, {.margin = 1e9});
  EXPECT_EQ(lived.better, nullptr);
  EXPECT_LT(lived.share, 0.5);
}

TEST(ReplayGuard, concludes_nothing_from_little) {
  const Lived lived = live(*find_strategy("fifo"), kBaselines, {.fewest = 1000});
  EXPECT_EQ(lived.better, nullptr);
  EXPECT_EQ(lived.share, 1);
}

TEST(ReplayGuard, does_not_stumble_over_jobs_that_go_without_a_word) {
  auto made = TaskSequence::make(busy_tasks(700, 5), 32);
  ASSERT_TRUE(made);
  QueueWorld world(32, {});
  world.reset(*made);
  ReplayGuard guard({find_strategy("sjf")}, Reward::slowdown,
                    {.batch = 8, .fewest = 1, .longest = 2});
  while (world.needs_choice()) {
    guard.on_ready(world);
    world.choose(world.first());
    for (const std::uint32_t task : world.started())
      guard.on_started(world.tasks()[task].id, world.run_of(task).start, world.run_of(task).gpus);
  }
  EXPECT_NE(guard.share(), 1) << "it has played them again";
}

}  // namespace

}  // namespace penstock
