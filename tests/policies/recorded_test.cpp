// What was decided is done again: in a small world by hand, and in random ones.
#include "policies/recorded.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "worlds/random_world.h"
#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

std::string node_name(NodeId node) {
  return "n" + std::to_string(node.index);
}

/// The nodes of a placement; nothing if they do not all give as many GPUs.
std::optional<std::vector<std::string>> even_nodes(const Placement& where, const Cluster& cluster) {
  std::map<NodeId, std::uint32_t> gpus;
  for (const GpuRange& range : where) gpus[cluster.node_of[range.first.index]] += range.count;
  std::vector<std::string> names;
  for (const auto& [node, count] : gpus) {
    if (count != gpus.begin()->second) return std::nullopt;
    names.push_back(node_name(node));
  }
  return names;
}

/// As a journal would have it; nothing if it could not: of GPUs it knows how many were of which
/// node, so not that a job moved between those of one.
std::optional<RecordedRuns> record_of(const RunLog& log, const World& world) {
  RecordedRuns runs;
  for (const HeldStretch& stretch : log.stretches) {
    const auto nodes = even_nodes(stretch.where, world.cluster);
    const auto& before = runs[world.jobs[stretch.job.index].job.name];
    const bool stays = !before.empty() && before.back().ended == stretch.from &&
                       before.back().nodes == nodes &&
                       before.back().gpus == gpu_count(stretch.where);
    if (!nodes || stays) return std::nullopt;
    const Node& node = world.cluster.node(stretch.where.front().first);
    runs[world.jobs[stretch.job.index].job.name].push_back(
        {.ordered = stretch.from,
         .ended = stretch.to,
         .gpus = gpu_count(stretch.where),
         .clock_mhz = stretch.clock_mhz,
         .site = world.cluster.sites[stretch.site.index].name,
         .type = world.cluster.type(node).name,
         .nodes = *nodes});
  }
  return runs;
}

std::map<JobId, Time> finishes(const RunLog& log) {
  std::map<JobId, Time> all;
  for (const EndedJob& job : log.ended) all[job.job] = job.finish;
  return all;
}

class EveryRecord : public testing::TestWithParam<const char*> {};

TEST_P(EveryRecord, is_done_again_to_the_millisecond) {
  int replayed = 0;
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    World world =
        WorldDice(
            seed,
            {.most_sites = 1, .parents = false, .failures = false, .sleep = false, .elastic = true})
            .roll();
    for (TracedJob& traced : world.jobs)
      traced.job.name = "job-" + std::to_string(traced.job.id.index);
    const RunLog log = run_logged(world, GetParam(), {});
    auto record = record_of(log, world);
    if (!record) continue;
    ++replayed;
    for (const auto& [job, runs] : *record) changed += runs.size() > 1 ? 1 : 0;
    const auto policy = make_recorded(*std::move(record));
    EXPECT_TRUE(finishes(run_logged(world, *policy)) == finishes(log)) << "seed " << seed;
  }
  EXPECT_GT(replayed, 5);
  EXPECT_GT(changed, 5);
}

INSTANTIATE_TEST_SUITE_P(Recorded, EveryRecord, testing::Values("srtf", "las", "afs", "gandiva"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Recorded, a_start_waits_for_room_and_a_job_without_record_begins_when_there_is) {
  World world = one_site(1, 2);
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 100, .actual = 50});
  add_job(world, {.submitted = 0, .gpus = 2, .requested = 100, .actual = 10});
  add_job(world, {.submitted = 5, .gpus = 1, .requested = 100, .actual = 10});
  const Time t0 = world.start();
  RecordedRuns runs;  // the first ended 20 s sooner than it does here
  runs["job-0"] = {{.ordered = t0 + 1s, .ended = t0 + 31s, .gpus = 2, .nodes = {"n0"}}};
  runs["job-1"] = {{.ordered = t0 + 31s, .ended = t0 + 41s, .gpus = 2, .nodes = {"n0"}}};
  const auto policy = make_recorded(runs);
  const auto ends = finishes(run_logged(world, *policy));
  EXPECT_EQ(ends.at(JobId{0}), t0 + 51s);  // one second after it was submitted, as it was
  EXPECT_EQ(ends.at(JobId{2}), t0 + 61s);  // waits since 5 s, the other one since 31 s
  EXPECT_EQ(ends.at(JobId{1}), t0 + 71s);
}

/// A table of measurements says nothing of several nodes: what was stopped and finds its node taken
/// may not be spread over two.
TEST(Recorded, a_job_is_not_put_where_its_models_do_not_let_it_run) {
  World world = one_site(2, 2);
  world.models = Models(1);
  world.models.set(world.models.add_kind(), {},
                   table_profile("net", world.cluster.types[0].name, {{1, 1.0}, {2, 0.75}}));
  for (int i = 0; i < 3; ++i)
    add_job(world, {.submitted = 0, .gpus = 1, .requested = 300, .actual = 300});
  TracedJob& elastic = world.jobs.back();
  elastic.job.kind_id = KindId{0};
  elastic.job.batch = 1;
  elastic.job.work = elastic.work = Work(100);
  const Time t0 = world.start();
  RecordedRuns runs;  // they are longer here than they were
  runs["job-0"] = {{.ordered = t0, .ended = t0 + 100s, .gpus = 1, .nodes = {"n0"}}};
  runs["job-1"] = {{.ordered = t0, .ended = t0 + 100s, .gpus = 1, .nodes = {"n1"}}};
  runs["job-2"] = {{.ordered = t0 + 100s, .ended = t0 + 200s, .gpus = 2, .nodes = {"n0"}}};
  const auto policy = make_recorded(runs);
  const auto ends = finishes(run_logged(world, *policy));
  EXPECT_EQ(ends.size(), 3u);
}

}  // namespace
}  // namespace penstock
