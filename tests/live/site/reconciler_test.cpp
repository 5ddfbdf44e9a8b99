#include "live/site/reconciler.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class ReconcilerTest : public SiteParts {
 protected:
  static nlohmann::json record(const std::string& state_word) {
    return {{"job", 1},
            {"ref", "1"},
            {"user", "ann"},
            {"partition", "main"},
            {"state", state_word},
            {"batch", true},
            {"requeue", true},
            {"gpus", 2}};
  }
  void show(const nlohmann::json& job) {
    reconciler.take({{"jobs", {job}}});
    reconciler.compare_all(kNoon);
  }
};

TEST_F(ReconcilerTest, a_new_job_is_told_and_held) {
  show(record("pending"));
  EXPECT_EQ(reported(), "submitted0 ");
  EXPECT_EQ(asked(),
            "hold {\"do\":\"update\",\"job\":\"1\",\"hold\":true,\"admin_comment\":"
            "\"penstock: held\"}\n");
  show(record("pending"));
  EXPECT_EQ(reported(), "");
}

TEST_F(ReconcilerTest, a_job_that_waits_for_another_is_not_told) {
  nlohmann::json job = record("pending");
  job["reason"] = "dependency";
  show(job);
  EXPECT_EQ(reported(), "");
}

TEST_F(ReconcilerTest, a_job_of_another_partition_is_none_of_ours) {
  nlohmann::json job = record("pending");
  job["partition"] = "other";
  show(job);
  EXPECT_TRUE(state.jobs.all().empty());
}

TEST_F(ReconcilerTest, a_start_is_confirmed_when_slurm_shows_it_where_it_was_asked_for) {
  TrackedJob& job = add_placed("1", 0);
  commands.start(job, {"why", kNoon});
  show_running(job, "n0", kNoon);
  reconciler.compare_all(kNoon);
  EXPECT_TRUE(job.confirmed);
  EXPECT_EQ(job.op.kind, PendingOp::Kind::none);
  EXPECT_EQ(noted(), "runs; ");
}

TEST_F(ReconcilerTest, a_start_that_comes_elsewhere_is_an_interruption) {
  TrackedJob& job = add_placed("1", 0);
  commands.start(job, {"why", kNoon});
  show_running(job, "n1", kNoon);
  reconciler.compare_all(kNoon);
  EXPECT_EQ(reported(), "interrupted0 ");
  reconciler.compare_held_back(kNoon);
  EXPECT_EQ(reported(), "started0 ") << "where it really is, in the next batch";
}

TEST_F(ReconcilerTest, a_start_is_sent_again_while_slurm_holds_the_job_and_undone_after_a_while) {
  TrackedJob& job = add_placed("1", 0);
  commands.start(job, {"why", kNoon});
  (void)asked();
  reconciler.advance(kNoon + 3s);
  EXPECT_EQ(asked().substr(0, 6), "start ");
  reconciler.advance(kNoon + 61s);
  EXPECT_EQ(reported(), "interrupted0 ");
  EXPECT_EQ(asked().substr(0, 5), "hold ");
}

TEST_F(ReconcilerTest, a_job_that_saves_is_requeued_when_it_has_or_when_its_time_is_over) {
  for (const bool saves : {true, false}) {
    TrackedJob& job = add_placed(saves ? "1" : "2", saves ? 0 : 4);
    job.user_options.grace = 30s;
    show_running(job, saves ? "n0" : "n1", kNoon - 1min);
    commands.stop(job, {"why", kNoon});
    if (saves) job.progress.push_back({.when = kNoon + 1s, .done = 5, .saved = 5});
  }
  (void)asked();
  reconciler.advance(kNoon + 2s);
  EXPECT_EQ(state.jobs.find("1")->op.kind, PendingOp::Kind::requeuing);
  EXPECT_EQ(state.jobs.find("2")->op.kind, PendingOp::Kind::saving);
  reconciler.advance(kNoon + 30s);
  EXPECT_EQ(state.jobs.find("2")->op.kind, PendingOp::Kind::requeuing);
}

TEST_F(ReconcilerTest, a_running_job_that_is_gone_has_finished) {
  TrackedJob& job = add_placed("1", 0);
  job.confirmed = true;
  job.gone = true;
  reconciler.compare_all(kNoon);
  EXPECT_EQ(reported(), "finished0 ");
  EXPECT_TRUE(state.jobs.all().empty());
}

TEST_F(ReconcilerTest, a_job_that_is_left_to_slurm_is_withdrawn_and_released) {
  TrackedJob& job = add_job("1");
  reconciler.hand_over(job, "no place", kNoon);
  reconciler.compare_held_back(kNoon);
  EXPECT_EQ(reported(), "withdrawn0 ");
  EXPECT_EQ(asked().substr(0, 8), "release ");
}

}  // namespace
}  // namespace penstock
