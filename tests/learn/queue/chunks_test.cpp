#include "learn/queue/chunks.h"

#include <gtest/gtest.h>

#include "learn/queue/strategy.h"
#include "learn/queue/worlds.h"

namespace penstock {
namespace {

using std::chrono::seconds;

Task small(std::uint32_t id, Duration requested, std::vector<std::uint32_t> parents = {}) {
  return {.id = {id},
          .submitted = Time(seconds(100)),
          .gpus = 1,
          .requested = requested,
          .actual = requested / 2,
          .parents = std::move(parents)};
}

TEST(Chunks, put_small_tasks_with_the_same_parents_one_after_another) {
  const TaskSequence tasks =
      sequence_of({small(0, seconds(50)), small(1, seconds(4), {0}), small(2, seconds(6), {0}),
                   small(3, seconds(2)), small(4, seconds(50), {1, 2})},
                  1);
  const Chunks chunks = chunk_small(tasks.all(), {.below = seconds(10)});
  ASSERT_EQ(chunks.members.size(), 4u);
  EXPECT_EQ(chunks.members[1], (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(chunks.tasks[1].requested, seconds(10));
  EXPECT_EQ(chunks.tasks[1].actual, seconds(5));
  EXPECT_EQ(chunks.tasks[1].cost, 2);
  EXPECT_EQ(chunks.tasks[3].parents, std::vector<std::uint32_t>{1});

  const TaskSequence merged = sequence_of(chunks.tasks, 1);
  QueueWorld world(1, {});
  world.reset(merged);
  run_to_end(world, *find_strategy("fifo"));
  const std::vector<Fate> fates = member_fates(chunks, tasks.all(), world);
  EXPECT_EQ(fates[1].start, Time(seconds(125)));  // on the one GPU, after task 0
  EXPECT_EQ(fates[2].start, Time(seconds(127)));
  EXPECT_EQ(fates[3].start, Time(seconds(130)));
  EXPECT_EQ(fates[4].start, Time(seconds(131)));
}

TEST(Chunks, end_where_they_would_ask_for_too_much) {
  const TaskSequence tasks = sequence_of(
      {small(0, seconds(4)), small(1, seconds(4)), small(2, seconds(4)), small(3, seconds(9))}, 1);
  const auto sizes = [&](const ChunkOptions& options) {
    std::vector<std::size_t> all;
    for (const auto& members : chunk_small(tasks.all(), options).members)
      all.push_back(members.size());
    return all;
  };
  EXPECT_EQ(sizes({.below = seconds(5), .at_most = seconds(8)}),
            (std::vector<std::size_t>{2, 1, 1}));
  EXPECT_EQ(sizes({.below = seconds(5), .most_tasks = 2}), (std::vector<std::size_t>{2, 1, 1}));
  EXPECT_EQ(sizes({.below = seconds(10)}), std::vector<std::size_t>{4});
  EXPECT_EQ(sizes({}), (std::vector<std::size_t>{1, 1, 1, 1}));
}

TEST(Chunks, never_break_precedence_and_lose_nobody) {
  std::size_t merged_tasks = 0;
  for (std::uint64_t seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    const World world = pool_world(seed, {.most_jobs = 60, .parents = true});
    const TaskSequence tasks = tasks_of(world);
    const Chunks chunks = chunk_small(tasks.all(), {.below = std::chrono::minutes(8)});
    merged_tasks += tasks.size() - chunks.tasks.size();
    const TaskSequence merged = sequence_of(chunks.tasks, world.cluster.gpu_count());
    QueueWorld queue(world.cluster.gpu_count(), {.origin = world.start()});
    queue.reset(merged);
    run_to_end(queue, *find_strategy("sjf+easy"));
    const std::vector<Fate> fates = member_fates(chunks, tasks.all(), queue);
    for (std::uint32_t i = 0; i < tasks.size(); ++i) {
      ASSERT_LT(fates[i].end, Time::max());
      EXPECT_GE(fates[i].start, tasks[i].submitted);
      EXPECT_EQ(fates[i].end - fates[i].start, std::min(tasks[i].actual, tasks[i].requested));
      for (const std::uint32_t parent : tasks[i].parents)
        EXPECT_GE(fates[i].start, fates[parent].end);
    }
  }
  EXPECT_GT(merged_tasks, 500u);
}

}  // namespace
}  // namespace penstock
