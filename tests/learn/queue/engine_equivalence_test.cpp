// The compact world against the real engine: every start in the same millisecond.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "learn/queue/strategy.h"
#include "learn/queue/worlds.h"

namespace penstock {
namespace {

std::vector<Time> engine_starts(const World& world, const Strategy& strategy) {
  const char* backfill = strategy.backfill == Backfill::easy ? "easy" : "none";
  const RunLog log =
      run_logged(world, strategy.order->name, {{"backfill", backfill}, {"place", "first-fit"}});
  std::vector<Time> starts(world.jobs.size());
  for (const EndedJob& job : log.ended) starts[job.job.index] = job.first_start;
  return starts;
}

void expect_same_starts(const World& world, const Strategy& strategy) {
  const TaskSequence tasks = tasks_of(world);
  QueueWorld queue(world.cluster.gpu_count(),
                   {.over_request = world.sim.over_request, .origin = world.start()});
  queue.reset(tasks);
  run_to_end(queue, strategy);
  ASSERT_TRUE(queue.done());
  const std::vector<Time> expected = engine_starts(world, strategy);
  for (std::uint32_t i = 0; i < tasks.size(); ++i)
    ASSERT_EQ((queue.run_of(i).start - world.start()).count(),
              (expected[i] - world.start()).count())
        << strategy.name << ", task " << i;
}

void expect_same_starts_everywhere(std::uint64_t worlds, const PoolLimits& limits) {
  for (const Strategy& strategy : all_strategies()) {
    if (strategy.order->shared == nullptr || strategy.keep.part > 0) continue;
    for (std::uint64_t seed = 0; seed < worlds && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "world " << seed);
      expect_same_starts(pool_world(seed, limits), strategy);
    }
  }
}

TEST(EngineEquivalence, every_order_starts_every_task_when_the_engine_does) {
  expect_same_starts_everywhere(500, {});
}
TEST(EngineEquivalence, holds_where_tasks_wait_for_their_parents) {
  expect_same_starts_everywhere(150, {.parents = true});
}
TEST(EngineEquivalence, holds_where_tasks_outrun_what_they_asked_for) {
  expect_same_starts_everywhere(150, {.over_request = OverRequest::extend});
}
TEST(EngineEquivalence, holds_where_all_of_it_meets) {
  expect_same_starts_everywhere(
      60, {.most_jobs = 80, .parents = true, .over_request = OverRequest::extend});
}

}  // namespace
}  // namespace penstock
