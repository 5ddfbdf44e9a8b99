#include "io/traces/chunk_tasks.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TracedJob task(std::uint32_t id, Duration runs, std::vector<JobId> parents = {},
               std::uint32_t gpus = 1) {
  TracedJob traced{.actual = runs};
  traced.job.id = JobId{id};
  traced.job.gpus = gpus;
  traced.job.name = std::string("t") + std::to_string(id);
  traced.job.parents = std::move(parents);
  return traced;
}

std::vector<std::string> names_of(const std::vector<TracedJob>& tasks) {
  std::vector<std::string> names;
  for (const TracedJob& each : tasks) names.push_back(each.job.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ChunkTasks, leaves_everything_as_it_is_unless_told) {
  const std::vector<TracedJob> tasks{task(0, 1s), task(1, 1s)};
  EXPECT_EQ(names_of(chunk_tasks(tasks, {})), (Names{"t0", "t1"}));
}

TEST(ChunkTasks, puts_small_siblings_together_and_lets_children_wait_for_all) {
  const std::vector<TracedJob> tasks{task(0, 30s),                        // the root
                                     task(1, 2s, {JobId{0}}),             // small
                                     task(2, 90s, {JobId{0}}),            // large
                                     task(3, 3s, {JobId{0}}),             // small, joins t1
                                     task(4, 5s, {JobId{3}}),             // waits for t1+1 now
                                     task(5, 5s, {JobId{1}, JobId{3}})};  // the same, so joins t4
  const std::vector<TracedJob> chunks = chunk_tasks(tasks, {.below = 10s});
  ASSERT_EQ(names_of(chunks), (Names{"t0", "t1+1", "t2", "t4+1"}));
  EXPECT_EQ(chunks[1].actual, Duration(5s));
  EXPECT_EQ(chunks[1].job.parents, std::vector<JobId>{JobId{0}});
  EXPECT_EQ(chunks[3].job.parents, std::vector<JobId>{JobId{1}});
  EXPECT_EQ(chunks[3].actual, Duration(10s));
  for (std::uint32_t i = 0; i < chunks.size(); ++i) EXPECT_EQ(chunks[i].job.id, JobId{i});
}

TEST(ChunkTasks, never_mixes_sizes_or_parents) {
  const std::vector<TracedJob> tasks{task(0, 1s), task(1, 1s, {}, 2), task(2, 1s, {JobId{0}})};
  EXPECT_EQ(names_of(chunk_tasks(tasks, {.below = 10s})), (Names{"t0", "t1", "t2"}));
}

TEST(ChunkTasks, begins_another_chunk_when_one_is_full) {
  std::vector<TracedJob> tasks;
  for (std::uint32_t i = 0; i < 5; ++i) tasks.push_back(task(i, 4s));
  const auto chunks = chunk_tasks(tasks, {.below = 10s, .at_most = 9s});
  EXPECT_EQ(names_of(chunks), (Names{"t0+1", "t2+1", "t4"}));
}

TEST(ChunkTasks, keeps_the_work_and_its_mean_load) {
  std::vector<TracedJob> tasks{task(0, 6s), task(1, 2s)};
  tasks[0].load = 1;
  tasks[1].load = 0.2;
  const auto chunks = chunk_tasks(tasks, {.below = 10s});
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_DOUBLE_EQ(chunks[0].load, 0.8);
}

}  // namespace
}  // namespace penstock
