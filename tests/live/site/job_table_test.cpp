#include "live/site/job_table.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

TEST(JobTable, finds_jobs_by_ref_and_by_id_until_the_id_is_cleared) {
  JobTable jobs;
  TrackedJob& job = jobs.all()["7"];
  job.seen.ref = "7";
  EXPECT_FALSE(jobs.knows(JobId{3}));
  jobs.set_id(job, JobId{3});
  jobs.add_op("7");
  job.op.kind = PendingOp::Kind::starting;
  EXPECT_EQ(jobs.find(JobId{3}), &job);
  EXPECT_EQ(&jobs.at(JobId{3}), jobs.find("7"));
  jobs.clear_id(job);
  EXPECT_EQ(jobs.find(JobId{3}), nullptr);
  EXPECT_FALSE(job.id);
  EXPECT_TRUE(jobs.with_ops().empty());
  EXPECT_EQ(job.op.kind, PendingOp::Kind::none);
}

TEST(JobHistory, gives_a_job_what_an_earlier_process_wrote_down) {
  JobHistory history;
  history.remember_asked("7", {.gpus = 3, .nodes = 1});
  history.remember_run("7", {.started = kNoon, .done = 40});
  TrackedJob job;
  job.seen.ref = "7";
  job.seen.admin_comment = "penstock: left";
  history.recall(job);
  EXPECT_EQ(job.asked, 3u);
  EXPECT_TRUE(job.changed);
  EXPECT_TRUE(job.handed_over);
  EXPECT_EQ(job.runs_seen.size(), 1u);
  EXPECT_EQ(job.done_before, 40);
}

TEST(JobHistory, tells_an_end_once_while_slurm_shows_the_job) {
  JobHistory history;
  EXPECT_TRUE(history.set_end_reported("7"));
  EXPECT_FALSE(history.set_end_reported("7"));
  history.forget_ends_except({"8"});
  EXPECT_FALSE(history.is_end_reported("7"));
}

TEST(JobHistory, adds_a_bill_to_the_job_that_was_withdrawn_once) {
  JobTable jobs;
  jobs.all()["7"].seen.ref = "7";
  JobHistory history;
  history.keep_withdrawn(JobId{3}, "7");
  history.add_bill(JobId{3}, {.energy = Joules(10)}, jobs);
  history.add_bill(JobId{3}, {.energy = Joules(10)}, jobs);
  EXPECT_EQ(jobs.find("7")->bill_before.energy, Joules(10));
}

TEST(JobHistory, gives_out_an_ended_job_once) {
  JobHistory history;
  history.keep_ended(JobId{3}, {.asked = 2});
  EXPECT_EQ(history.take_ended(JobId{3})->asked, 2u);
  EXPECT_FALSE(history.take_ended(JobId{3}));
}

}  // namespace
}  // namespace penstock
