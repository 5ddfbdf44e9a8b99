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

TEST_F(StateTest, whatever_a_start_takes_passes_before_work_every_time) {
  State slow(cluster, {.start = 2s, .restart = 30s}, t0);
  slow.admit({.id = JobId{0}, .gpus = 2, .requested = 1000s});
  slow.apply(JobSubmitted{JobId{0}}, t0);
  slow.apply(Start{JobId{0}, whole}, t0);
  EXPECT_EQ(slow.job(JobId{0}).work_begins, t0 + 2s);
  slow.apply(Preempt{JobId{0}}, t0 + 100s);
  EXPECT_EQ(slow.job(JobId{0}).done, Work(98'000));
  slow.apply(Start{JobId{0}, whole}, t0 + 200s);
  EXPECT_EQ(slow.job(JobId{0}).work_begins, t0 + 232s);
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

TEST_F(StateTest, a_measured_job_gets_on_from_where_it_really_is) {
  submit(0);
  state.apply(Start{JobId{0}, whole}, t0);  // a second of it takes 1000 of work
  EXPECT_EQ(state.job(JobId{0}).done_by(t0 + 100s), Work(100'000));
  state.apply(JobMeasured{.job = JobId{0}, .progress = {{Work(30'000), t0 + 90s}}}, t0 + 100s);
  EXPECT_EQ(state.job(JobId{0}).done_by(t0 + 100s), Work(40'000));
  EXPECT_EQ(state.job(JobId{0}).left_at(t0 + 100s), Work(960'000));
  state.apply(Preempt{JobId{0}}, t0 + 110s);
  EXPECT_EQ(state.job(JobId{0}).done, Work(50'000));
  state.apply(JobMeasured{.job = JobId{0}, .progress = {{Work(45'000), t0 + 110s}}}, t0 + 111s);
  EXPECT_EQ(state.job(JobId{0}).done, Work(45'000));
}

TEST_F(StateTest, a_job_that_began_later_than_believed_has_done_nothing_until_then) {
  submit(0);
  state.apply(Start{JobId{0}, whole}, t0);
  state.apply(JobMeasured{.job = JobId{0}, .progress = {{Work(0), t0 + 60s}}}, t0 + 20s);
  EXPECT_EQ(state.job(JobId{0}).done_by(t0 + 30s), Work(0));
  EXPECT_EQ(state.job(JobId{0}).done_by(t0 + 70s), Work(10'000));
  state.apply(JobMeasured{.job = JobId{0}, .progress = {{Work(2e9), t0 + 80s}}}, t0 + 80s);
  EXPECT_EQ(state.job(JobId{0}).done_by(t0 + 80s), Work(1'000'000));  // no more than all of it
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

/// Those nodes with clocks; job 0 scales, has 1000 to do and runs at 2 a millisecond.
class ElasticStateTest : public StateTest {
 protected:
  ElasticStateTest() {
    cluster.types[0].max_clock_mhz = 1000;
    state.admit({.id = job,
                 .gpus = 2,
                 .requested = 1s,
                 .kind_id = KindId{0},
                 .work = Work(1000),
                 .batch = 8});
    state.apply(JobSubmitted{job}, t0);
    state.apply(Start{job, whole}, t0);
    state.set_speed(job, Speed(2));
  }
  const JobState& it() const { return state.job(job); }

  JobId job{0};
};

TEST_F(ElasticStateTest, a_job_starts_at_the_highest_clock_with_the_batch_it_asked_for) {
  EXPECT_EQ(it().clock_mhz, 1000u);
  EXPECT_EQ(it().batch, 8);
  EXPECT_EQ(it().done_by(t0 + 100ms), Work(200));
  EXPECT_EQ(it().left_at(t0 + 100ms), Work(800));
  EXPECT_EQ(it().done_by(t0 + 10s), Work(1000)) << "it declared no more";
  const Config config = config_of(it(), cluster);
  EXPECT_EQ(config.gpus, 2u);
  EXPECT_EQ(config.nodes, 1u);
  EXPECT_EQ(config.batch, 8);
  EXPECT_EQ(config.clock, 1);
}

TEST_F(ElasticStateTest, a_resized_job_keeps_its_work_and_restarts) {
  state.apply(Resize{job, {{GpuId{1}, 1}, {GpuId{2}, 2}}, {500, 4}}, t0 + 100ms);
  EXPECT_EQ(it().done, Work(200));
  EXPECT_EQ(it().work_begins, t0 + 100ms + 30s);
  EXPECT_EQ(it().gpu_time, Duration(200ms));
  EXPECT_EQ(it().clock_mhz, 500u);
  EXPECT_EQ(it().batch, 4);
  EXPECT_EQ(it().resizes, 1u);
  EXPECT_EQ(it().held, Duration(100ms));
  EXPECT_EQ(state.site(SiteId{0}).busy_gpus, 3u);
  EXPECT_EQ(state.site(SiteId{0}).running_jobs, 1u);
  EXPECT_EQ(node(0).free, 1u);
  EXPECT_EQ(node(1).free, 0u);
  EXPECT_TRUE(state.free_gpus().contains(GpuId{0}));
  EXPECT_FALSE(state.free_gpus().contains(GpuId{1}));
  EXPECT_EQ(config_of(it(), cluster).nodes, 2u);
  EXPECT_EQ(config_of(it(), cluster).clock, 0.5);
}

TEST_F(ElasticStateTest, a_migrated_job_wakes_its_node_and_is_driven_as_before) {
  state.apply(SetBatch{job, 4}, t0);
  state.apply(Sleep{NodeId{1}}, t0);
  state.apply(Migrate{job, {{GpuId{2}, 2}}}, t0 + 100ms);
  EXPECT_EQ(it().work_begins, t0 + 100ms + 90s + 30s);
  EXPECT_EQ(it().batch, 4);
  EXPECT_EQ(it().migrations, 1u);
  EXPECT_EQ(node(0).free, 2u);
  EXPECT_EQ(node(0).idle_since, t0 + 100ms);
}

TEST_F(ElasticStateTest, a_new_clock_counts_from_now_on) {
  state.apply(SetClock{job, 500}, t0 + 100ms);
  state.set_speed(job, Speed(1));
  EXPECT_EQ(it().done, Work(200));
  EXPECT_EQ(it().work_begins, t0 + 100ms);
  EXPECT_EQ(it().started, t0);
  EXPECT_EQ(it().clock_time, 1000.0 * 100);
  EXPECT_EQ(it().done_by(t0 + 150ms), Work(250));
}

TEST_F(ElasticStateTest, a_batch_set_before_work_begins_delays_nothing) {
  state.apply(Migrate{job, {{GpuId{2}, 2}}}, t0 + 100ms);
  state.apply(SetBatch{job, 4}, t0 + 200ms);
  EXPECT_EQ(it().work_begins, t0 + 100ms + 30s);
  EXPECT_EQ(it().done, Work(200));
}

TEST_F(ElasticStateTest, an_interrupted_job_loses_what_it_did_before_a_new_clock_too) {
  state.apply(SetClock{job, 500}, t0 + 100ms);
  state.apply(JobInterrupted{job, Work(50)}, t0 + 200ms);
  EXPECT_EQ(it().done, Work(50));
}

}  // namespace
}  // namespace penstock
