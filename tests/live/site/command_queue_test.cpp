#include "live/site/command_queue.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using Op = PendingOp::Kind;

class CommandQueueTest : public SiteParts {
 protected:
  /// Sends everything, as requests 1, 2, … of the journal, and returns what was sent.
  std::vector<QueuedCommand> send_all() {
    std::vector<QueuedCommand> all = commands.take();
    for (QueuedCommand& command : all) {
      command.record.id = ++last_;
      commands.dispatch(command);
    }
    return all;
  }
  std::int64_t last_ = 0;
};

TEST_F(CommandQueueTest, a_start_names_nodes_and_gpus_and_is_pending) {
  TrackedJob& job = add_placed("1", 0);
  job.clock_mhz = 900;
  commands.start(job, {"why", kNoon});
  EXPECT_EQ(job.op.kind, Op::starting);
  EXPECT_EQ(job.op.since, kNoon);
  EXPECT_TRUE(state.jobs.with_ops().contains("1"));
  const auto queued = commands.take();
  ASSERT_EQ(queued.size(), 1u);
  EXPECT_EQ(queued[0].record.reason, "why");
  EXPECT_EQ(queued[0].record.job, 1);
  EXPECT_EQ(queued[0].record.detail,
            R"({"do":"update","job":"1","hold":false,"nodes":["n0"],"node_count":1,)"
            R"("gpus_per_node":2,"clock_mhz":900})")
      << "a clock other than the one that Slurm shows is asked for";
}

TEST_F(CommandQueueTest, a_job_that_has_just_stopped_is_started_a_little_later) {
  TrackedJob& job = add_placed("1", 0);
  job.runs_seen.push_back({.started = kNoon - 1h, .ended = kNoon});
  commands.start(job, {"why", kNoon + 1s});
  EXPECT_EQ(asked(), "");
  EXPECT_EQ(job.op.kind, Op::starting);
  EXPECT_EQ(job.op.retry_at, kNoon + 1500ms);
}

TEST_F(CommandQueueTest, a_job_without_time_to_save_is_requeued_at_once_and_marked_first) {
  TrackedJob& job = add_placed("1", 0);
  job.seen.admin_comment.clear();
  job.user_options.grace = {};
  commands.stop(job, {"why", kNoon});
  EXPECT_EQ(asked(),
            "mark {\"do\":\"update\",\"job\":\"1\",\"admin_comment\":\"penstock: held\"}\n"
            "requeue {\"do\":\"requeue\",\"job\":\"1\",\"hold\":true}\n");
  EXPECT_EQ(job.op.kind, Op::requeuing);
}

TEST_F(CommandQueueTest, a_job_with_time_to_save_gets_a_signal) {
  TrackedJob& job = add_placed("1", 0);
  job.user_options.grace = 30s;
  commands.stop(job, {"why", kNoon});
  EXPECT_EQ(asked(),
            "save {\"do\":\"signal\",\"job\":\"1\",\"signal\":\"SIGUSR1\",\"to\":\"batch\"}\n");
  EXPECT_EQ(job.op.kind, Op::saving);
}

TEST_F(CommandQueueTest, a_release_is_not_asked_for_twice_nor_where_others_hold) {
  TrackedJob& job = add_job("1");
  commands.release(job, kReleasedMark, {"why", kNoon});
  commands.release(job, kReleasedMark, {"why", kNoon});
  const auto sent = send_all();
  ASSERT_EQ(sent.size(), 1u);
  commands.on_reply(sent[0], {{"ok", true}}, kNoon);
  EXPECT_EQ(answered(), "1 confirmed: ; ");
  permissions.releases = false;
  commands.release(job, kReleasedMark, {"why", kNoon});
  EXPECT_EQ(asked(), "");
}

TEST_F(CommandQueueTest, a_start_that_was_taken_back_is_not_sent) {
  TrackedJob& job = add_placed("1", 0);
  commands.start(job, {"why", kNoon});
  commands.finish_op(job, RequestState::refused, "it was taken back", kNoon);
  send_all();
  EXPECT_TRUE(connection.sent.empty());
  EXPECT_EQ(answered(), "1 refused: it was taken back; ");
}

TEST_F(CommandQueueTest, a_second_start_takes_the_place_of_the_first) {
  TrackedJob& job = add_placed("1", 0);
  commands.start(job, {"why", kNoon});
  send_all();
  commands.start(job, {"again", kNoon});
  send_all();
  EXPECT_EQ(answered(), "1 lost: another request took its place; ");
  EXPECT_EQ(job.op.request, 2);
  commands.finish_op(job, RequestState::confirmed, "it runs", kNoon);
  EXPECT_EQ(answered(), "2 confirmed: it runs; ");
}

TEST_F(CommandQueueTest, names_the_job_whose_start_is_refused_unless_slurm_may_still_do_it) {
  TrackedJob& job = add_placed("1", 0);
  commands.start(job, {"why", kNoon});
  const auto sent = send_all();
  EXPECT_EQ(commands.on_reply(sent[0], refusal("try_again"), kNoon), nullptr);
  EXPECT_EQ(job.op.retry_at, kNoon + 200ms);
  EXPECT_EQ(commands.on_reply(sent[0], refusal("unreachable"), kNoon), nullptr);
  EXPECT_FALSE(poller.answers());
  EXPECT_EQ(commands.on_reply(sent[0], refusal("not_pending"), kNoon), nullptr);
  EXPECT_EQ(commands.on_reply(sent[0], refusal("denied"), kNoon), &job);
  EXPECT_EQ(answered(), "1 refused: not yet: no; 1 lost: no; 1 refused: no; 1 refused: no; ");
}

TEST_F(CommandQueueTest, who_waits_for_an_answer_is_told_that_none_will_come) {
  int nulls = 0;
  commands.submit({.script = "#!/bin/sh"}, {"why", kNoon},
                  [&](const nlohmann::json& body) { nulls += body.is_null() ? 1 : 0; });
  const auto sent = send_all();
  commands.on_reply(sent[0], nullptr, kNoon);
  commands.drop(sent[0], kNoon);
  EXPECT_EQ(nulls, 2);
}

}  // namespace
}  // namespace penstock
