#include "live/site/run_recorder.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class RunRecorderTest : public SiteParts {};

TEST_F(RunRecorderTest, a_run_is_written_down_once_with_the_time_from_its_order_to_its_start) {
  TrackedJob& job = add_placed("1", 0);
  job.known_since = kNoon;
  job.start_asked = kNoon;
  show_running(job, "n0", kNoon + 3s);
  runs.begin(job);
  runs.begin(job);
  ASSERT_EQ(job.runs_seen.size(), 1u);
  EXPECT_EQ(job.runs_seen[0].gpus, 2u);
  EXPECT_EQ(job.runs_seen[0].type, "a");
  EXPECT_EQ(job.runs_seen[0].lag, 3s);
}

TEST_F(RunRecorderTest, a_new_run_ends_the_one_before) {
  TrackedJob& job = add_placed("1", 0);
  show_running(job, "n0", kNoon);
  runs.begin(job);
  job.seen.started = kNoon + 1min;
  runs.begin(job);
  ASSERT_EQ(job.runs_seen.size(), 2u);
  EXPECT_EQ(job.runs_seen[0].ended, kNoon + 1min);
}

TEST_F(RunRecorderTest, an_ended_run_has_done_what_the_job_said_last) {
  TrackedJob& job = add_placed("1", 0);
  job.kind = "resnet";
  job.work = 1000;
  show_running(job, "n0", kNoon);
  runs.begin(job);
  runs.set_last_progress([](const TrackedJob&, Time now) {
    return std::optional(JobProgress{.when = now, .done = 41, .saved = 40});
  });
  runs.end(job, kNoon + 1min);
  EXPECT_EQ(job.runs_seen[0].done, 40);
  EXPECT_EQ(noted(), "run; ");
  runs.end(job, kNoon + 2min);
  EXPECT_EQ(noted(), "") << "it has ended";
}

TEST_F(RunRecorderTest, a_rigid_job_has_done_the_milliseconds_that_have_passed) {
  TrackedJob& job = add_placed("1", 0);
  show_running(job, "n0", kNoon);
  runs.begin(job);
  EXPECT_EQ(runs.done_by(job, kNoon + 2s), 2000);
}

TEST_F(RunRecorderTest, models_say_what_a_rigid_job_draws) {
  TrackedJob& job = add_placed("1", 0);
  EXPECT_EQ(pace.modelled(job).draw, Watts(800));
  EXPECT_EQ(pace.draw(job, kNoon), Watts(800)) << "no agent has measured it";
  EXPECT_EQ(pace.draw_per_gpu(job), Watts(400));
}

}  // namespace
}  // namespace penstock
