// What must hold in every world, whoever chooses.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "learn/queue/strategy.h"
#include "learn/queue/worlds.h"

namespace penstock {
namespace {

/// Random tasks, some of them malleable.
TaskSequence roll_tasks(const World& world, std::uint64_t seed) {
  Rng rng = Rng(seed).stream("malleable");
  std::vector<Task> tasks = tasks_in(world);
  for (Task& task : tasks) {
    if (rng.uniform() < 0.5) continue;
    task.least_gpus = 1 + static_cast<std::uint32_t>(rng.below(task.gpus));
    task.most_gpus = task.gpus + static_cast<std::uint32_t>(rng.below(4));
    task.serial = rng.uniform();
  }
  return sequence_of(std::move(tasks), world.cluster.gpu_count());
}

QueueOptions roll_options(const World& world, Rng& rng) {
  return {.backfill = rng.below(2) == 0 ? Backfill::none : Backfill::easy,
          .commit = rng.below(2) == 0 ? Commit::until_event : Commit::until_start,
          .sizing = static_cast<Sizing>(rng.below(3)),
          .over_request = world.sim.over_request,
          .origin = world.start()};
}

void expect_sound_world(const QueueWorld& world) {
  const TaskSequence& tasks = world.tasks();
  std::vector<std::pair<Time, std::int64_t>> changes;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const TaskRun& task_run = world.run_of(i);
    ASSERT_TRUE(world.has_started(i)) << "task " << i;
    EXPECT_GE(task_run.start, tasks[i].submitted);
    EXPECT_LE(task_run.end, world.now());
    EXPECT_GE(task_run.gpus, tasks[i].least_gpus);
    EXPECT_LE(task_run.gpus, tasks[i].most_gpus);
    for (const std::uint32_t parent : tasks[i].parents)
      EXPECT_GE(task_run.start, world.run_of(parent).end)
          << "task " << i << " overtakes " << parent;
    changes.emplace_back(task_run.start, task_run.gpus);
    changes.emplace_back(task_run.end, -static_cast<std::int64_t>(task_run.gpus));
  }
  std::ranges::sort(changes);  // at one instant GPUs are given back first
  std::int64_t held = 0;
  for (const auto& [when, change] : changes) {
    held += change;
    EXPECT_LE(held, world.gpus());
  }
  EXPECT_EQ(world.free_gpus(), world.gpus());
}

TEST(QueueProperties, capacity_and_precedence_hold_and_every_task_ends_under_random_choices) {
  for (std::uint64_t seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const auto over = seed % 2 == 0 ? OverRequest::kill : OverRequest::extend;
    const World world = pool_world(seed, {.parents = true, .over_request = over});
    const TaskSequence tasks = roll_tasks(world, seed);
    Rng rng = Rng(seed).stream("choices");
    QueueWorld queue(world.cluster.gpu_count(), roll_options(world, rng));
    queue.reset(tasks);
    std::vector<std::uint32_t> started;
    std::size_t ended = 0;
    while (queue.needs_choice()) {
      queue.choose(queue.ready()[rng.below(queue.ready().size())]);
      started.insert(started.end(), queue.started().begin(), queue.started().end());
      ended += queue.ended().size();
    }
    ASSERT_TRUE(queue.done());
    expect_sound_world(queue);
    std::ranges::sort(started);
    EXPECT_EQ(started.size(), tasks.size());
    EXPECT_TRUE(std::ranges::adjacent_find(started) == started.end()) << "told twice";
    EXPECT_EQ(ended, tasks.size());
  }
}

TEST(QueueProperties, easy_never_delays_the_start_that_a_chosen_task_could_count_on) {
  for (std::uint64_t seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const World world = pool_world(seed, {.parents = true, .requests = Requests::over});
    const TaskSequence tasks = tasks_of(world);
    Rng rng = Rng(seed).stream("choices");
    QueueWorld queue(world.cluster.gpu_count(),
                     {.backfill = Backfill::easy, .commit = Commit::until_start});
    queue.reset(tasks);
    while (queue.needs_choice()) {
      const std::uint32_t task = queue.ready()[rng.below(queue.ready().size())];
      const Time promised = queue.opening_for(tasks[task].gpus).when;
      queue.choose(task);
      EXPECT_LE(queue.run_of(task).start, promised) << "task " << task;
    }
  }
}

TEST(QueueProperties, a_copy_goes_on_as_the_original_does) {
  for (std::uint64_t seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const World world = pool_world(seed, {.parents = true});
    const TaskSequence tasks = roll_tasks(world, seed);
    Rng rng = Rng(seed).stream("choices");
    QueueWorld queue(world.cluster.gpu_count(), roll_options(world, rng));
    queue.reset(tasks);
    for (std::uint64_t steps = rng.below(10); steps > 0 && queue.needs_choice(); --steps)
      queue.choose(queue.ready()[rng.below(queue.ready().size())]);
    const Strategy& strategy = all_strategies()[rng.below(all_strategies().size())];
    QueueWorld scratch = queue;
    const Measures copied = run_to_end(scratch, strategy);
    const Measures original = run_to_end(queue, strategy);
    EXPECT_EQ(copied.slowdown_sum, original.slowdown_sum);
    for (std::uint32_t i = 0; i < tasks.size(); ++i)
      EXPECT_EQ(scratch.run_of(i).start, queue.run_of(i).start);
  }
}

/// Asks in the middle of a run how the rest would go, from what anyone can see then.
void expect_same_rest(const World& world, const Strategy& strategy, Rng& rng) {
  std::vector<Task> all = tasks_in(world);
  for (Task& task : all) task.actual = task.requested;
  const TaskSequence tasks = sequence_of(all, world.cluster.gpu_count());
  QueueWorld queue(world.cluster.gpu_count(), {.origin = world.start()});
  queue.reset(tasks);
  queue.rank_by(*strategy.order);
  queue.backfill_by(strategy.backfill);
  for (std::uint64_t steps = rng.below(20); steps > 0 && queue.needs_choice(); --steps)
    queue.choose(queue.first());
  std::vector<RunningTask> running;
  for (const QueueWorld::Holder& holder : queue.running())
    running.push_back({.gpus = holder.gpus,
                       .started = queue.run_of(holder.slot).start,
                       .believed_end = holder.believed_end});
  std::vector<Task> rest;
  std::vector<std::uint32_t> index;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    if (queue.has_started(i)) continue;
    rest.push_back(tasks[i]);
    index.push_back(i);
  }
  const TaskSequence left = sequence_of(rest, world.cluster.gpu_count());
  QueueWorld later(world.cluster.gpu_count(), {.origin = world.start()});
  later.reset(left, {.now = queue.now(), .running = running});
  run_to_end(later, strategy);
  run_to_end(queue, strategy);
  for (std::uint32_t i = 0; i < left.size(); ++i)
    EXPECT_EQ(later.run_of(i).start, queue.run_of(index[i]).start) << strategy.name;
}

TEST(QueueProperties, a_world_begun_in_the_middle_equals_the_uninterrupted_run) {
  for (std::uint64_t seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    Rng rng = Rng(seed).stream("pause");
    const Strategy& strategy = all_strategies()[rng.below(all_strategies().size())];
    expect_same_rest(pool_world(seed, {}), strategy, rng);
  }
}

TEST(QueueProperties, a_world_used_again_forgets_what_was_before) {
  const World a = pool_world(1, {.parents = true});
  const World b = pool_world(2, {.parents = true});
  const std::uint32_t gpus = std::max(a.cluster.gpu_count(), b.cluster.gpu_count());
  const TaskSequence first = tasks_of(a);
  const TaskSequence second = tasks_of(b);
  QueueWorld used(gpus, {});
  used.reset(first);
  run_to_end(used, *find_strategy("sjf+easy"));
  used.reset(second);
  used.backfill_by(Backfill::none);
  run_to_end(used, [](QueueWorld& w) { return w.first(); });
  QueueWorld fresh(gpus, {});
  fresh.reset(second);
  run_to_end(fresh, *find_strategy("fifo"));
  for (std::uint32_t i = 0; i < second.size(); ++i)
    EXPECT_EQ(used.run_of(i).start, fresh.run_of(i).start);
}

}  // namespace
}  // namespace penstock
