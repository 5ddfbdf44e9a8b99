#include "learn/mars/snapshot.h"

#include <gtest/gtest.h>

#include "policy/place/one_site.h"
#include "worlds/policy_stage.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Two nodes of four GPUs of the first of two types, and nothing known of the past.
class SnapshotTest : public testing::Test {
 protected:
  static Cluster two_nodes() {
    Cluster cluster = cluster_of({{.count = 2, .gpus = 4}});
    cluster.types.resize(2);
    return cluster;
  }
  Snapshot present(std::vector<JobId> held = {}) {
    return take_present(stage.view(), pool, {held, history}, rules);
  }
  static std::vector<std::uint32_t> jobs_of(const Snapshot& snapshot) {
    std::vector<std::uint32_t> jobs;
    for (std::uint32_t i = 0; i < snapshot.tasks.size(); ++i)
      jobs.push_back(snapshot.tasks[i].id.index);
    return jobs;
  }

  using Jobs = std::vector<std::uint32_t>;
  PolicyStage stage{two_nodes()};
  Pool pool{stage.cluster(), SiteId{0}, GpuTypeId{0}, PlaceRule::first_fit};
  History history{16};
  SnapshotRules rules{.weighs_cost = false, .ahead = 0};
};

TEST_F(SnapshotTest, shows_waiting_jobs_that_the_pool_can_hold_as_they_were_asked_for) {
  stage.submit({.id = {0}, .gpus = 9, .requested = 1h});
  stage.submit({.id = {1}, .gpus = 1, .requested = 1h, .gpu_types = 2});
  stage.submit({.id = {2}, .gpus = 8, .requested = 3h});
  const Snapshot snapshot = present();
  ASSERT_EQ(jobs_of(snapshot), Jobs{2});
  EXPECT_EQ(snapshot.tasks[0].gpus, 8u);
  EXPECT_EQ(snapshot.tasks[0].requested, 3h);
  EXPECT_EQ(snapshot.tasks[0].submitted, stage.start());
  EXPECT_TRUE(snapshot.running.empty());
}

TEST_F(SnapshotTest, counts_gpus_that_are_held_and_those_that_are_down) {
  stage.submit({.id = {0}, .gpus = 3, .requested = 2h});
  stage.happen(JobStarted{.job = {0}, .where = gpus(0, 3), .since = stage.start()});
  pool.take(gpus(0, 3));
  stage.wait_until(stage.start() + 30min);
  stage.happen(NodeFailed{NodeId{1}});
  pool.node_down(NodeId{1});
  const Snapshot snapshot = present();
  ASSERT_EQ(snapshot.running.size(), 2u);
  EXPECT_EQ(snapshot.running[0].gpus, 3u);
  EXPECT_EQ(snapshot.running[0].started, stage.start());
  EXPECT_EQ(snapshot.running[0].believed_end, stage.start() + 2h);
  EXPECT_EQ(snapshot.running[1].gpus, 4u);
  EXPECT_EQ(snapshot.running[1].believed_end, stage.start() + 30min + 24h);
}

TEST_F(SnapshotTest, of_a_future_leaves_out_the_longest_of_a_long_queue) {
  for (const auto length : {3h, 1h, 2h})
    stage.submit({.id = {static_cast<std::uint32_t>(stage.state().queue().size())},
                  .gpus = 1,
                  .requested = length});
  rules.window = 2;
  EXPECT_EQ(jobs_of(take_snapshot(stage.view(), pool, {{}, history}, rules)), (Jobs{1, 2}));
  EXPECT_EQ(jobs_of(present()), (Jobs{0, 1, 2})) << "the present has all";
}

TEST_F(SnapshotTest, links_jobs_to_parents_that_it_shows_and_waits_for_no_others) {
  stage.submit({.id = {0}, .gpus = 1, .requested = 1h});
  stage.submit({.id = {1}, .gpus = 1, .requested = 1h, .parents = {{0}}});
  stage.submit({.id = {2}, .gpus = 1, .requested = 1h, .gpu_types = 2});
  stage.submit({.id = {3}, .gpus = 1, .requested = 1h, .parents = {{2}}});
  const Snapshot snapshot = present({{1}, {3}});
  ASSERT_EQ(jobs_of(snapshot), (Jobs{0, 1})) << "who waits for another pool is left out";
  EXPECT_TRUE(snapshot.tasks[0].parents.empty());
  EXPECT_EQ(snapshot.tasks[1].parents, (std::vector<std::uint32_t>{0}));
}

TEST_F(SnapshotTest, of_a_future_has_run_times_as_history_has_them) {
  history.add_end(0.5);  // the only job that ended ran for half its time
  stage.submit({.id = {0}, .gpus = 1, .requested = 2h});
  const Snapshot future = take_snapshot(stage.view(), pool, {{}, history}, rules);
  EXPECT_EQ(future.tasks[0].requested, 2h);
  EXPECT_EQ(future.tasks[0].actual, 1h);
}

}  // namespace
}  // namespace penstock
