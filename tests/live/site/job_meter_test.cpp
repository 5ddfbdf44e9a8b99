#include "live/site/job_meter.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class JobMeterTest : public SiteParts {
 protected:
  /// It has 1000 to do, and the scheduler believes that it does 10 a second since noon.
  TrackedJob& add_measured() {
    TrackedJob& job = add_placed("1", 0);
    job.kind = "resnet";
    job.work = 1000;
    job.confirmed = true;
    job.believed = {.done = 0, .since = kNoon, .per_second = 10};
    return job;
  }
};

TEST_F(JobMeterTest, says_nothing_of_a_job_that_is_where_it_is_believed_to_be) {
  add_measured();
  meter.on_progress("1", {.when = kNoon + 10s, .done = 104});
  EXPECT_EQ(meter.due_at(), Time::max());
  EXPECT_EQ(reported(), "");
}

TEST_F(JobMeterTest, tells_soon_of_one_that_is_a_little_off_and_at_once_of_one_far_off) {
  add_measured();
  meter.on_progress("1", {.when = kNoon + 10s, .done = 60});  // 4 s of 94
  EXPECT_EQ(meter.due_at(), kNoon + 40s);
  meter.on_progress("1", {.when = kNoon + 20s, .done = 60});  // 14 s of 94
  EXPECT_EQ(meter.due_at(), kNoon + 20s);
  meter.update_due(kNoon + 20s);
  EXPECT_TRUE(meter.is_due());
  EXPECT_EQ(reported(), "measured0 ");
  EXPECT_FALSE(meter.is_due());
}

TEST_F(JobMeterTest, bills_idle_gpus_until_the_job_works_on_them) {
  TrackedJob& job = add_placed("1", 0);
  job.billed = kNoon;
  job.confirmed = true;
  show_running(job, "n0", kNoon + 4s);
  meter.on_run_seen(job, kNoon + 5s);  // whole seconds: it works since 4.5 s on average
  EXPECT_EQ(job.working, kNoon + 4500ms);
  Batch batch;
  batch.now = kNoon + 9s;
  meter.move_into(batch);
  ASSERT_EQ(batch.events.size(), 1u);
  const auto& measured = std::get<JobMeasured>(batch.events[0]);
  ASSERT_TRUE(measured.drew);
  EXPECT_DOUBLE_EQ(measured.drew->value(), (2 * 50 * 4.5 + 2 * 400 * 4.5) / 9);
  EXPECT_EQ(job.billed, kNoon + 9s);
}

TEST_F(JobMeterTest, tells_what_a_stopped_run_has_saved) {
  TrackedJob& job = add_job("1");
  job.kind = "resnet";
  job.work = 1000;
  job.user_options.checkpoint = true;
  job.runs_seen.push_back({.started = kNoon - 1min, .ended = kNoon, .done = 40});
  meter.keep_saved_work(job);
  Batch batch;
  batch.now = kNoon;
  meter.move_into(batch);
  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_EQ(std::get<JobMeasured>(batch.events[0]).progress->done, Work(40));
  EXPECT_FALSE(job.kept) << "it is told once";
}

TEST_F(JobMeterTest, of_a_job_that_was_told_in_this_batch_it_tells_in_the_next) {
  TrackedJob& job = add_measured();
  job.reported_in = state.events.batch();
  meter.on_progress("1", {.when = kNoon + 20s, .done = 60});
  EXPECT_EQ(reported(), "");
  EXPECT_EQ(reported(), "measured0 ");
}

}  // namespace
}  // namespace penstock
