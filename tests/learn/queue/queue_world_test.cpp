#include "learn/queue/queue_world.h"

#include <gtest/gtest.h>

#include "learn/queue/strategy.h"
#include "learn/queue/worlds.h"

namespace penstock {
namespace {

/// A task at `submitted` seconds that needs what it asks for.
Task task(int submitted, std::uint32_t gpus, int length, std::vector<std::uint32_t> parents = {}) {
  return {.submitted = Time(std::chrono::seconds(submitted)),
          .gpus = gpus,
          .requested = std::chrono::seconds(length),
          .actual = std::chrono::seconds(length),
          .parents = std::move(parents)};
}

double start_of(const QueueWorld& world, std::uint32_t i) {
  return seconds(world.run_of(i).start.time_since_epoch());
}

std::vector<double> starts_of(const QueueWorld& world) {
  std::vector<double> starts;
  for (std::uint32_t i = 0; i < world.tasks().size(); ++i) starts.push_back(start_of(world, i));
  return starts;
}

using Starts = std::vector<double>;
using Tasks = std::vector<std::uint32_t>;

Tasks listed(std::span<const std::uint32_t> tasks) {
  return {tasks.begin(), tasks.end()};
}

/// Four GPUs. 0 runs on three of them for 100 s; 1 wants all; 2 and 3 want one for 50 s and 200 s.
TaskSequence blocked_head() {
  return sequence_of({task(0, 3, 100), task(1, 4, 10), task(2, 1, 50), task(3, 1, 200)}, 4);
}

TEST(QueueWorld, waits_for_the_task_that_was_chosen) {
  const TaskSequence tasks = blocked_head();
  QueueWorld world(4, {.commit = Commit::until_start});
  world.reset(tasks);
  ASSERT_TRUE(world.needs_choice());
  EXPECT_EQ(listed(world.ready()), Tasks{0});
  world.choose(0);
  EXPECT_EQ(listed(world.started()), Tasks{0});
  EXPECT_EQ(world.now(), Time(std::chrono::seconds(1)));  // the next task is there
  world.choose(1);
  // It has started at 100, and only then is someone else asked about.
  EXPECT_EQ(world.now(), Time(std::chrono::seconds(100)));
  EXPECT_EQ(listed(world.ended()), Tasks{0});
  EXPECT_EQ(listed(world.started()), Tasks{1});
  EXPECT_EQ(listed(world.ready()), (Tasks{2, 3}));
  world.choose(3);
  EXPECT_TRUE(world.needs_choice());
  world.choose(2);
  EXPECT_TRUE(world.done());
  EXPECT_FALSE(world.needs_choice());
  EXPECT_EQ(starts_of(world), (Starts{0, 100, 110, 110}));
  EXPECT_EQ(world.now(), Time(std::chrono::seconds(310)));
}

TEST(QueueWorld, lets_only_those_pass_that_do_not_delay_the_chosen_task) {
  const TaskSequence tasks = blocked_head();
  QueueWorld world(4, {.backfill = Backfill::easy, .commit = Commit::until_start});
  world.reset(tasks);
  run_to_end(world, [](QueueWorld& w) { return w.first(); });
  EXPECT_EQ(starts_of(world), (Starts{0, 100, 2, 110}));
}

TEST(QueueWorld, lets_a_long_task_pass_if_it_leaves_enough) {
  const TaskSequence tasks = sequence_of({task(0, 3, 100), task(1, 3, 10), task(2, 1, 500)}, 4);
  QueueWorld world(4, {.backfill = Backfill::easy});
  world.reset(tasks);
  run_to_end(world, [](QueueWorld& w) { return w.first(); });
  EXPECT_EQ(starts_of(world), (Starts{0, 100, 2}));
}

TEST(QueueWorld, asks_anew_at_the_next_event_unless_a_choice_holds) {
  const TaskSequence tasks = blocked_head();
  QueueWorld world(4, {});
  world.reset(tasks);
  world.choose(0);
  // At 1 nobody fits who is there: there is nothing to choose until 2 comes.
  EXPECT_EQ(world.now(), Time(std::chrono::seconds(2)));
  EXPECT_EQ(listed(world.ready()), (Tasks{1, 2}));
  world.choose(1);
  EXPECT_EQ(world.now(), Time(std::chrono::seconds(3)));
  EXPECT_TRUE(world.started().empty());
  world.choose(3);
  EXPECT_EQ(listed(world.started()), Tasks{3});
  EXPECT_EQ(start_of(world, 3), 3);
}

TEST(QueueWorld, holds_tasks_back_until_their_parents_have_ended) {
  const TaskSequence tasks =
      sequence_of({task(0, 1, 10), task(0, 1, 30), task(0, 1, 5, {0, 1}), task(40, 1, 5, {2})}, 4);
  QueueWorld world(4, {});
  world.reset(tasks);
  EXPECT_EQ(listed(world.ready()), (Tasks{0, 1}));
  run_to_end(world, *find_strategy("critical-path"));
  EXPECT_EQ(starts_of(world), (Starts{0, 0, 30, 40}));
  EXPECT_EQ(world.run_of(2).ready, Time(std::chrono::seconds(30)));
}

TEST(QueueWorld, starts_the_longest_way_first_by_critical_path) {
  const TaskSequence tasks = sequence_of({task(0, 1, 10), task(0, 1, 1), task(0, 1, 20, {1})}, 1);
  QueueWorld world(1, {});
  world.reset(tasks);
  run_to_end(world, *find_strategy("critical-path"));
  EXPECT_EQ(starts_of(world), (Starts{21, 0, 1}));
}

/// Task 1 lets ten short ones start: 11 waiting tasks of 10 s press more than one alone.
TEST(QueueWorld, starts_who_lets_many_short_ones_start_first_by_unlock) {
  std::vector<Task> some = {task(0, 1, 20), task(0, 1, 100)};
  for (int i = 0; i < 10; ++i) some.push_back(task(0, 1, 1, {1}));
  const TaskSequence tasks = sequence_of(some, 1);
  EXPECT_DOUBLE_EQ(tasks.rank(0).pressure, 1.0 / 20 / 20);
  EXPECT_DOUBLE_EQ(tasks.rank(1).pressure, (0.01 + 10 * 0.1) / 110);
  EXPECT_DOUBLE_EQ(tasks.rank(2).pressure, 0.1);
  QueueWorld world(1, {});
  world.reset(tasks);
  run_to_end(world, *find_strategy("unlock"));
  EXPECT_EQ(start_of(world, 1), 0);
  EXPECT_EQ(start_of(world, 11), 109);
  EXPECT_EQ(start_of(world, 0), 110);
}

TEST(QueueWorld, shares_a_child_among_its_parents_by_unlock) {
  const TaskSequence tasks =
      sequence_of({task(0, 1, 10), task(0, 1, 10), task(0, 1, 1, {0, 1}), task(0, 1, 50, {2})}, 1);
  EXPECT_DOUBLE_EQ(tasks.rank(0).pressure, (0.1 + 0.05) / 10.5);
  EXPECT_DOUBLE_EQ(tasks.rank(2).pressure, 0.1);  // the long one would only make it less pressing
}

TEST(QueueWorld, starts_the_most_worth_for_its_gpu_time_first) {
  std::vector<Task> some = {task(0, 1, 10), task(0, 2, 10), task(0, 2, 10)};
  some[1].cost = 3;
  some[2].cost = 1.9;
  const TaskSequence tasks = sequence_of(some, 2);
  QueueWorld world(2, {});
  world.reset(tasks);
  const Measures measured = run_to_end(world, *find_strategy("worth"));
  EXPECT_EQ(starts_of(world), (Starts{10, 0, 20}));
  EXPECT_DOUBLE_EQ(measured.slowdown_sum, 2 + 1 + 3);
  EXPECT_DOUBLE_EQ(measured.cost_slowdown_sum, 1 * 2 + 3 * 1 + 1.9 * 3);
  EXPECT_EQ(measured.wait_sum, std::chrono::seconds(30));
  EXPECT_EQ(measured.makespan, std::chrono::seconds(30));
}

TEST(QueueWorld, sizes_malleable_tasks_by_what_is_free) {
  std::vector<Task> some = {task(0, 3, 100), task(0, 4, 100), task(0, 1, 100)};
  some[1].least_gpus = 1;
  some[1].most_gpus = 4;
  some[2].most_gpus = 4;
  const TaskSequence tasks = sequence_of(some, 4);
  const auto gpus_of = [&](Sizing sizing) {
    QueueWorld world(4, {.sizing = sizing});
    world.reset(tasks);
    run_to_end(world, *find_strategy("fifo"));
    return Tasks{world.run_of(1).gpus, world.run_of(2).gpus};
  };
  EXPECT_EQ(gpus_of(Sizing::asked), (Tasks{4, 1}));
  EXPECT_EQ(gpus_of(Sizing::shrink), (Tasks{1, 1}));
  EXPECT_EQ(gpus_of(Sizing::fill), (Tasks{1, 3}));
  QueueWorld world(4, {.sizing = Sizing::shrink});
  world.reset(tasks);
  world.choose(0);
  world.choose(1);
  EXPECT_EQ(world.run_of(1).end, Time(std::chrono::seconds(400)));
}

TEST(QueueWorld, gives_a_malleable_task_what_the_chooser_says) {
  std::vector<Task> some = {task(0, 2, 100), task(0, 4, 100)};
  some[1].least_gpus = 2;
  const TaskSequence tasks = sequence_of(some, 4);
  QueueWorld world(4, {.commit = Commit::until_start});
  world.reset(tasks);
  world.choose(0);
  world.choose(1, 3);
  EXPECT_EQ(starts_of(world), (Starts{0, 100}));
  EXPECT_EQ(world.run_of(1).gpus, 3u);
}

TEST(QueueWorld, stops_tasks_at_their_request_or_believes_them_longer) {
  std::vector<Task> some = {task(0, 1, 100), task(0, 1, 10)};
  some[0].actual = std::chrono::seconds(300);
  const TaskSequence tasks = sequence_of(some, 1);
  QueueWorld kills(1, {});
  kills.reset(tasks);
  run_to_end(kills, *find_strategy("fifo"));
  EXPECT_EQ(start_of(kills, 1), 100);
  QueueWorld extends(1, {.over_request = OverRequest::extend});
  extends.reset(tasks);
  run_to_end(extends, *find_strategy("fifo"));
  EXPECT_EQ(start_of(extends, 1), 300);
}

TEST(QueueWorld, begins_in_the_middle_of_a_run) {
  // At 50: somebody else's task holds 2 of 4 GPUs until 70, task 0 holds 1 until 60, 1 waits for
  // it.
  const TaskSequence tasks =
      sequence_of({task(0, 1, 60), task(10, 1, 10, {0}), task(20, 4, 10), task(55, 1, 5)}, 4);
  const std::vector<RunningTask> running = {
      {.gpus = 2,
       .started = Time(std::chrono::seconds(5)),
       .believed_end = Time(std::chrono::seconds(70))},
      {.gpus = 1, .started = Time(), .believed_end = Time(std::chrono::seconds(60)), .task = 0}};
  QueueWorld world(4, {});
  world.reset(tasks, {.now = Time(std::chrono::seconds(50)), .running = running});
  const Measures measured = run_to_end(world, *find_strategy("fifo+easy"));
  EXPECT_EQ(starts_of(world), (Starts{0, 60, 70, 55}));
  EXPECT_EQ(measured.tasks, 3u);  // what ran before is nobody's merit
  EXPECT_EQ(measured.wait_sum, std::chrono::seconds(50 + 50));
}

TEST(QueueWorld, of_nothing_is_done_at_once) {
  const TaskSequence tasks;
  QueueWorld world(4, {});
  world.reset(tasks);
  EXPECT_TRUE(world.done());
  EXPECT_FALSE(world.needs_choice());
  EXPECT_EQ(measure(world).tasks, 0u);
}

}  // namespace
}  // namespace penstock
