#include "io/traces/workflow_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

namespace penstock {
namespace {

using namespace std::chrono_literals;

TracedJob task(const std::string& name, Duration actual, std::vector<JobId> parents = {}) {
  TracedJob traced{.actual = actual};
  traced.job.name = name;
  traced.job.parents = std::move(parents);
  return traced;
}

/// A chain of two, and two tasks that have nothing to do with each other.
WorkflowStreamSpec two_kinds(std::uint64_t count) {
  return {.instances = {{.name = "chain", .tasks = {task("a", 10s), task("b", 20s, {JobId{0}})}},
                        {.name = "apart", .tasks = {task("a", 5s), task("b", 15s)}}},
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
