#include "learn/queue/strategy.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Strategy, knows_every_order_with_and_without_easy_by_name) {
  EXPECT_GT(all_strategies().size(), 2 * all_task_orders().size());
  ASSERT_NE(find_strategy("unicep+easy"), nullptr);
  EXPECT_EQ(find_strategy("unicep+easy")->backfill, Backfill::easy);
  EXPECT_EQ(find_strategy("best"), nullptr);
}

TEST(Strategy, bounds_the_slowdown_of_short_tasks) {
  EXPECT_EQ(slowdown_after(std::chrono::seconds(0), std::chrono::seconds(1)), 1);
  EXPECT_EQ(slowdown_after(std::chrono::seconds(19), std::chrono::seconds(1)), 2);
  EXPECT_EQ(slowdown_after(std::chrono::seconds(20), std::chrono::seconds(20)), 2);
}

TEST(KeepFree, leaves_gpus_to_short_tasks) {
  // Ten GPUs; two are kept for tasks of at most a minute. Two long tasks of five, then short ones.
  const Strategy keeps{"", find_task_order("fifo"), Backfill::easy, {0.2, std::chrono::minutes(1)}};
  const Time t0{};
  const auto task = [&](int when, std::uint32_t gpus, int length) {
    return Task{.submitted = t0 + std::chrono::seconds(when),
                .gpus = gpus,
                .requested = std::chrono::seconds(length),
                .actual = std::chrono::seconds(length)};
  };
  const auto tasks = TaskSequence::make({task(0, 5, 1000), task(1, 5, 1000), task(2, 4, 60)}, 10);
  ASSERT_TRUE(tasks);
  QueueWorld world(10, {});
  world.reset(*tasks);
  run_to_end(world, keeps);
  EXPECT_EQ(world.run_of(0).start, t0);
  EXPECT_EQ(world.run_of(1).start,
            t0 + std::chrono::seconds(1000));                      // five are free, but not seven
  EXPECT_EQ(world.run_of(2).start, t0 + std::chrono::seconds(2));  // passes: it ends long before
}

TEST(KeepFree, never_keeps_a_task_from_an_empty_machine) {
  const Strategy keeps{"", find_task_order("fifo"), Backfill::none, {0.5, {}}};
  const auto tasks = TaskSequence::make(
      {Task{.gpus = 10, .requested = std::chrono::hours(1), .actual = std::chrono::hours(1)}}, 10);
  ASSERT_TRUE(tasks);
  QueueWorld world(10, {});
  world.reset(*tasks);
  run_to_end(world, keeps);
  EXPECT_TRUE(world.done());
  EXPECT_EQ(world.run_of(0).start, Time{});
}

TEST(Measures, count_costs_waits_and_deadlines_of_started_tasks) {
  const std::chrono::seconds run(20);
  std::vector<Task> two(2, Task{.gpus = 1, .requested = run, .actual = run});
  two[0].cost = 3;
  two[1].deadline = Time(std::chrono::seconds(30));
  const auto tasks = TaskSequence::make(std::move(two), 1);
  ASSERT_TRUE(tasks);
  QueueWorld world(1, {});
  world.reset(*tasks);
  const Measures sums = run_to_end(world, *find_strategy("fifo"));
  EXPECT_EQ(sums.tasks, 2u);
  EXPECT_DOUBLE_EQ(sums.slowdown_sum, 1 + 2);
  EXPECT_DOUBLE_EQ(sums.cost_slowdown_sum, 3 * 1 + 1 * 2);
  EXPECT_EQ(sums.wait_sum, run);
  EXPECT_EQ(sums.makespan, 2 * run);
  EXPECT_EQ(sums.late, 1u);
  EXPECT_DOUBLE_EQ(objective_of(sums, Reward::cost), 5);
  EXPECT_DOUBLE_EQ(objective_of(sums, Reward::slowdown), 3);
  EXPECT_DOUBLE_EQ(objective_of(sums, Reward::wait), 20);
}

}  // namespace
}  // namespace penstock
