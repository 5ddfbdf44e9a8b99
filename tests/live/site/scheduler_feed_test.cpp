#include "live/site/scheduler_feed.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class SchedulerFeedTest : public SiteParts {};

TEST_F(SchedulerFeedTest, a_job_that_was_found_running_has_its_gpus) {
  TrackedJob& job = add_job("1");
  show_running(job, "n1", kNoon);
  EXPECT_TRUE(feed.emit_started(job, kNoon));
  EXPECT_TRUE(job.runs);
  EXPECT_TRUE(job.confirmed);
  EXPECT_EQ(state.mirror.free_on(NodeId{1}), 2u);
  EXPECT_EQ(reported(), "started0 ");
  EXPECT_EQ(noted(), "found running; ");
}

TEST_F(SchedulerFeedTest, an_ended_job_gives_back_its_gpus_and_leaves_its_bill_to_come) {
  TrackedJob& job = add_placed("1", 0);
  feed.emit_finished(job, kNoon);
  EXPECT_FALSE(job.id);
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 4u);
  EXPECT_TRUE(state.history.is_end_reported("1"));
  EXPECT_TRUE(state.history.take_ended(JobId{0}));
  EXPECT_EQ(reported(), "finished0 ");
}

TEST_F(SchedulerFeedTest, nothing_more_is_said_of_an_interrupted_job_in_the_same_batch) {
  TrackedJob& job = add_placed("1", 0);
  feed.emit_interrupted(job, 0, kNoon);
  EXPECT_TRUE(state.events.is_held_back(job));
  EXPECT_FALSE(job.runs);
  EXPECT_EQ(reported(), "interrupted0 ");
  EXPECT_FALSE(state.events.is_held_back(job));
}

TEST_F(SchedulerFeedTest, each_failed_start_makes_a_job_rest_twice_as_long) {
  TrackedJob& job = add_placed("1", 0);
  feed.undo_start(job, "no", kNoon);
  EXPECT_EQ(job.not_before, kNoon + 15s);
  feed.take_gpus(job, {{GpuId{0}, 2}});
  feed.undo_start(job, "no", kNoon);
  EXPECT_EQ(job.not_before, kNoon + 30s);
  job.failed_starts = 20;
  feed.take_gpus(job, {{GpuId{0}, 2}});
  feed.undo_start(job, "no", kNoon);
  EXPECT_EQ(job.not_before, kNoon + 10min);
}

TEST_F(SchedulerFeedTest, a_start_that_slurm_has_not_carried_out_makes_room_for_one_that_it_has) {
  add_placed("1", 0, 4);
  const auto where = feed.find_gpus({{.node = "n0", .type = "a", .indices = {0, 1, 2}}}, kNoon);
  ASSERT_TRUE(where);
  EXPECT_EQ(gpu_count(*where), 3u);
  EXPECT_EQ(reported(), "interrupted0 ");
  EXPECT_EQ(asked().substr(0, 5), "hold ");
}

TEST_F(SchedulerFeedTest, gpus_of_a_job_that_runs_are_not_given_away) {
  add_placed("1", 0, 4).confirmed = true;
  EXPECT_FALSE(feed.find_gpus({{.node = "n0", .type = "a", .indices = {0}}}, kNoon));
  EXPECT_EQ(reported(), "");
}

TEST_F(SchedulerFeedTest, an_end_that_nobody_saw_is_noted_once) {
  TrackedJob& job = add_job("1");
  state.jobs.clear_id(job);
  job.gone = true;
  feed.record_unseen_end(job, kNoon);
  feed.record_unseen_end(job, kNoon);
  EXPECT_EQ(noted(), "ended; ");
  EXPECT_EQ(job.seen.state, "unknown");
}

}  // namespace
}  // namespace penstock
