#include "model/state.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Two nodes of two GPUs; a restart takes 30 s, waking 90 s.
class StateTest : public testing::Test {
 protected:
  static Cluster two_nodes() {
    Cluster cluster;
    cluster.types.resize(1);
    add_site(cluster, "here", {{.count = 2, .gpus = 2}});
    return cluster;
  }
  void submit(std::uint32_t id, std::vector<JobId> parents = {}) {
    state.admit({.id = JobId{id}, .gpus = 2, .requested = 1000s, .parents = std::move(parents)});
    state.apply(JobSubmitted{JobId{id}}, t0);
  }
  const NodeState& node(std::uint32_t id) const { return state.node(NodeId{id}); }

  Time t0{1h};
  Cluster cluster = two_nodes();
  State state{cluster, {.restart = 30s, .wake = 90s, .sleep_after = std::nullopt}, t0};
  Placement whole{{GpuId{0}, 2}};
  Placement across{{GpuId{1}, 1}, {GpuId{2}, 1}};
};

TEST_F(StateTest, queues_a_job_once_it_is_ready) {
  submit(0);
  submit(1, {JobId{0}});
  EXPECT_EQ(state.queue().size(), 1u);
  EXPECT_EQ(state.job(JobId{1}).phase, Phase::held);
  state.apply(JobReady{JobId{1}}, t0 + 1s);
  EXPECT_EQ(state.queue().size(), 2u);
  EXPECT_EQ(state.queue().begin()->job.id, JobId{0});
}

TEST_F(StateTest, a_running_job_holds_its_gpus) {
  submit(0);
  state.apply(Start{JobId{0}, across}, t0 + 5s);
  EXPECT_TRUE(state.queue().empty());
  EXPECT_EQ(state.running().size(), 1u);
  EXPECT_EQ(node(0).free, 1u);
  EXPECT_EQ(node(1).free, 1u);
  EXPECT_FALSE(state.free_gpus().contains(GpuId{2}));
  EXPECT_EQ(state.site(SiteId{0}).busy_gpus, 2u);
  EXPECT_EQ(state.site(SiteId{0}).running_jobs, 1u);
  EXPECT_EQ(state.job(JobId{0}).work_begins, t0 + 5s);
}

TEST_F(StateTest, a_finished_job_leaves_all_as_it_was) {
  submit(0);
  state.apply(Start{JobId{0}, whole}, t0);
  state.apply(JobFinished{JobId{0}}, t0 + 7s);
  EXPECT_EQ(state.job(JobId{0}).held, Duration(7s));
  EXPECT_EQ(node(0).free, 2u);
  EXPECT_EQ(node(0).idle_since, t0 + 7s);
  EXPECT_EQ(node(1).idle_since, t0);
  state.retire(JobId{0});
  EXPECT_EQ(state.find(JobId{0}), nullptr);
  EXPECT_EQ(state.alive(), 0u);
}

TEST_F(StateTest, a_preempted_job_keeps_its_work_and_pays_its_restart) {
  submit(0);
  state.apply(Start{JobId{0}, whole}, t0);
  state.apply(Preempt{JobId{0}}, t0 + 100s);
  EXPECT_EQ(state.job(JobId{0}).done, Work(100'000));
  EXPECT_EQ(state.job(JobId{0}).remaining_request(), Duration(900s));
  EXPECT_EQ(state.job(JobId{0}).preemptions, 1u);
  state.apply(Start{JobId{0}, whole}, t0 + 200s);
  EXPECT_EQ(state.job(JobId{0}).work_begins, t0 + 230s);
  EXPECT_EQ(state.job(JobId{0}).first_start, t0);
  state.apply(Preempt{JobId{0}}, t0 + 210s);
  EXPECT_EQ(state.job(JobId{0}).done, Work(100'000)) << "it was still restoring";
  EXPECT_EQ(state.job(JobId{0}).held, Duration(110s));
}

TEST_F(StateTest, an_interrupted_job_keeps_what_its_checkpoint_saved) {
  submit(0);
  state.apply(Start{JobId{0}, whole}, t0);
  state.apply(JobInterrupted{JobId{0}, Work(60'000)}, t0 + 100s);
  state.apply(NodeFailed{NodeId{0}}, t0 + 100s);
  EXPECT_EQ(state.job(JobId{0}).done, Work(60'000));
  EXPECT_EQ(state.job(JobId{0}).phase, Phase::queued);
  EXPECT_EQ(node(0).phase, NodePhase::down);
  EXPECT_EQ(state.site(SiteId{0}).down_nodes, 1u);
  state.apply(NodeRepaired{NodeId{0}}, t0 + 150s);
  EXPECT_EQ(node(0).phase, NodePhase::awake);
  EXPECT_EQ(node(0).idle_since, t0 + 150s);
}

TEST_F(StateTest, a_job_on_a_sleeping_node_waits_for_it_to_wake) {
  submit(0);
  state.apply(Sleep{NodeId{0}}, t0);
  EXPECT_EQ(state.site(SiteId{0}).sleeping_nodes, 1u);
  state.apply(Start{JobId{0}, across}, t0 + 10s);
  EXPECT_EQ(node(0).phase, NodePhase::awake);
  EXPECT_EQ(state.site(SiteId{0}).sleeping_nodes, 0u);
  EXPECT_EQ(state.job(JobId{0}).work_begins, t0 + 100s);
}

TEST_F(StateTest, a_woken_node_is_ready_only_after_its_time) {
  submit(0);
  state.apply(Sleep{NodeId{0}}, t0);
  state.apply(Wake{NodeId{0}}, t0 + 10s);
  state.apply(Start{JobId{0}, whole}, t0 + 50s);
  EXPECT_EQ(state.job(JobId{0}).work_begins, t0 + 100s);
}

}  // namespace
}  // namespace penstock
