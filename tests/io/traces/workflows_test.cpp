#include "io/traces/workflows.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

TEST(TaskGraph, puts_parents_first_and_otherwise_keeps_the_order) {
  const auto order = parents_first({{"a", {2}}, {"b", {}}, {"c", {}}});
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<std::size_t>{1, 2, 0}));
}

TEST(TaskGraph, names_the_tasks_that_wait_for_each_other) {
  const auto order = parents_first({{"outside", {1}}, {"a", {2}}, {"b", {1}}});
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().message, "'a' waits for itself: a after b after a");
}

TEST(TaskGraph, finds_a_task_that_waits_for_itself) {
  EXPECT_EQ(parents_first({{"a", {0}}}).error().message, "'a' waits for itself: a after a");
}

TracedJob small_task(std::uint32_t id, Duration runs, std::vector<JobId> parents = {},
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

TEST(ChunkTasks, leaves_everything_as_it_is_unless_told) {
  const std::vector<TracedJob> tasks{small_task(0, 1s), small_task(1, 1s)};
  EXPECT_EQ(names_of(chunk_tasks(tasks, {})), (Names{"t0", "t1"}));
}

TEST(ChunkTasks, puts_small_siblings_together_and_lets_children_wait_for_all) {
  const std::vector<TracedJob> tasks{
      small_task(0, 30s),                        // the root
      small_task(1, 2s, {JobId{0}}),             // small
      small_task(2, 90s, {JobId{0}}),            // large
      small_task(3, 3s, {JobId{0}}),             // small, joins t1
      small_task(4, 5s, {JobId{3}}),             // waits for t1+1 now
      small_task(5, 5s, {JobId{1}, JobId{3}})};  // the same, so joins t4
  const std::vector<TracedJob> chunks = chunk_tasks(tasks, {.below = 10s});
  ASSERT_EQ(names_of(chunks), (Names{"t0", "t1+1", "t2", "t4+1"}));
  EXPECT_EQ(chunks[1].actual, Duration(5s));
  EXPECT_EQ(chunks[1].job.parents, std::vector<JobId>{JobId{0}});
  EXPECT_EQ(chunks[3].job.parents, std::vector<JobId>{JobId{1}});
  EXPECT_EQ(chunks[3].actual, Duration(10s));
  for (std::uint32_t i = 0; i < chunks.size(); ++i) EXPECT_EQ(chunks[i].job.id, JobId{i});
}

TEST(ChunkTasks, never_mixes_sizes_or_parents) {
  const std::vector<TracedJob> tasks{small_task(0, 1s), small_task(1, 1s, {}, 2),
                                     small_task(2, 1s, {JobId{0}})};
  EXPECT_EQ(names_of(chunk_tasks(tasks, {.below = 10s})), (Names{"t0", "t1", "t2"}));
}

TEST(ChunkTasks, begins_another_chunk_when_one_is_full) {
  std::vector<TracedJob> tasks;
  for (std::uint32_t i = 0; i < 5; ++i) tasks.push_back(small_task(i, 4s));
  const auto chunks = chunk_tasks(tasks, {.below = 10s, .at_most = 9s});
  EXPECT_EQ(names_of(chunks), (Names{"t0+1", "t2+1", "t4"}));
}

TEST(ChunkTasks, keeps_the_work_and_its_mean_load) {
  std::vector<TracedJob> tasks{small_task(0, 6s), small_task(1, 2s)};
  tasks[0].load = 1;
  tasks[1].load = 0.2;
  const auto chunks = chunk_tasks(tasks, {.below = 10s});
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_DOUBLE_EQ(chunks[0].load, 0.8);
}

TracedJob stream_task(const std::string& name, Duration actual, std::vector<JobId> parents = {}) {
  TracedJob traced{.actual = actual};
  traced.job.name = name;
  traced.job.parents = std::move(parents);
  return traced;
}

/// A chain of two, and two tasks that have nothing to do with each other.
WorkflowStreamSpec two_kinds(std::uint64_t count) {
  return {.instances = {{.name = "chain",
                         .tasks = {stream_task("a", 10s), stream_task("b", 20s, {JobId{0}})}},
                        {.name = "apart", .tasks = {stream_task("a", 5s), stream_task("b", 15s)}}},
          .count = count,
          .mean_gap = 1min};
}

TEST(WorkflowStream, tasks_are_named_and_grouped_by_the_workflow_they_are_of) {
  const auto trace = draw_workflows(two_kinds(50), {.seed = 3});
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->jobs.size(), 100u);
  std::set<std::string> names;
  std::map<std::string, int> groups;
  for (const TracedJob& traced : trace->jobs) {
    names.insert(traced.job.name);
    ++groups[traced.job.group];
    EXPECT_EQ(traced.job.name.substr(0, traced.job.group.size()), traced.job.group);
    EXPECT_EQ(traced.job.requested, traced.actual);
  }
  EXPECT_EQ(names.size(), 100u);
  EXPECT_EQ(groups.size(), 50u);
  EXPECT_EQ(trace->jobs[0].job.name, trace->jobs[0].job.group + "/a");
}

TEST(WorkflowStream, tasks_wait_for_parents_of_their_own_workflow_only) {
  const auto trace = draw_workflows(two_kinds(200), {.seed = 3});
  ASSERT_TRUE(trace);
  int chains = 0;
  for (const TracedJob& traced : trace->jobs)
    for (const JobId parent : traced.job.parents) {
      const Job& before = trace->jobs[parent.index].job;
      EXPECT_EQ(before.group, traced.job.group);
      EXPECT_EQ(before.submitted, traced.job.submitted);
      ++chains;
    }
  EXPECT_NEAR(chains, 100, 30);  // each kind about half of the time
}

TEST(WorkflowStream, gaps_have_the_mean_that_was_asked_for) {
  const auto trace = draw_workflows(two_kinds(5000), {.seed = 1});
  ASSERT_TRUE(trace);
  const Duration span = trace->jobs.back().job.submitted - trace->jobs.front().job.submitted;
  EXPECT_NEAR(seconds(span) / 4999, 60, 3);
}

TEST(WorkflowStream, the_same_seed_draws_the_same_and_a_window_is_a_part_of_it) {
  const auto all = draw_workflows(two_kinds(20), {.seed = 3});
  const auto part = draw_workflows(two_kinds(20), {.skip = 10, .limit = 6, .seed = 3});
  const auto other = draw_workflows(two_kinds(20), {.seed = 4});
  ASSERT_TRUE(all && part && other);
  ASSERT_EQ(part->jobs.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(part->jobs[i].job.name, all->jobs[10 + i].job.name);
    EXPECT_EQ(part->jobs[i].job.submitted, all->jobs[10 + i].job.submitted);
  }
  EXPECT_NE(other->jobs.back().job.submitted, all->jobs.back().job.submitted);
}

TEST(WorkflowStream, the_mean_work_is_that_of_an_instance) {
  EXPECT_EQ(mean_work(two_kinds(1)), (10 + 20 + 5 + 15) / 2.0);
}

TEST(WorkflowStream, every_workflow_of_the_repository_can_be_read) {
  std::size_t tasks = 0;
  std::size_t dropped = 0;
  const auto folder = std::filesystem::path(PENSTOCK_ROOT) / "data/workflows";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const auto instance = read_workflow(entry.path(), false);
    ASSERT_TRUE(instance) << instance.error().message;
    EXPECT_EQ(instance->name.find(".json"), std::string::npos);
    tasks += instance->tasks.size();
    dropped += instance->remarks.size();
  }
  EXPECT_GT(tasks, 3500u);
  EXPECT_EQ(dropped, 3u);  // the pipelines of nf-core have tasks of no time
}

}  // namespace
}  // namespace penstock
