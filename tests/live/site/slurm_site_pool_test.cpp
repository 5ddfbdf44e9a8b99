// Jobs of the pool at a site: each is run once, whatever becomes of the request that submits it.
#include <gtest/gtest.h>

#include <algorithm>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kNumber = 7;
const std::string kComment = "; penstock-pool=7";

/// A job that waits for a site and is known to the scheduler.
PooledJob& pooled(SiteTranscript& transcript) {
  PooledJob& job = transcript.world.pool.add(
      {.number = kNumber,
       .submission = {.script = "#!/bin/sh", .comment = kComment, .gpus = {.total = 2}}});
  transcript.world.pool.set_id(job, transcript.world.numbers.next());
  return job;
}

/// The scheduler starts it on the first two GPUs.
void launch(SiteTranscript& transcript, PooledJob& job) {
  transcript.site().launch(job, Start{*job.id, {{GpuId{0}, 2}}},
                           {"the test wants it", transcript.world.slurm.now()});
  transcript.flush();
}

std::size_t submissions(const SiteTranscript& transcript) {
  return static_cast<std::size_t>(std::ranges::count_if(
      transcript.world.connection.received,
      [](const std::string& each) { return each.find("\"do\":\"submit\"") != std::string::npos; }));
}

bool was_said(const SiteTranscript& transcript, std::string_view what) {
  return transcript.text.find(what) != std::string::npos;
}

TEST(SlurmSitePool, a_job_is_submitted_placed_and_runs_as_believed) {
  SiteTranscript transcript;
  transcript.pass(1);
  launch(transcript, pooled(transcript));
  transcript.pass(6);
  EXPECT_EQ(transcript.world.pool.find(kNumber), nullptr);
  ASSERT_NE(transcript.site().find("1"), nullptr);
  EXPECT_EQ(transcript.site().find("1")->id, JobId{0});
  EXPECT_TRUE(transcript.site().find("1")->confirmed);
  EXPECT_FALSE(was_said(transcript, "interrupted"));
}

TEST(SlurmSitePool, a_job_that_cannot_be_governed_once_it_is_taken_is_not_submitted_again) {
  SiteTranscript transcript(
      2, [](SiteOptions& options) { options.users = {"ada"}; });  // it will be ann's
  transcript.pass(1);
  launch(transcript, pooled(transcript));
  transcript.pass(200);
  EXPECT_EQ(submissions(transcript), 1u);
  EXPECT_EQ(transcript.world.pool.find(kNumber), nullptr);
  EXPECT_TRUE(was_said(transcript, "job 0 is interrupted"));
  EXPECT_TRUE(was_said(transcript, "job 0 is withdrawn"));
}

TEST(SlurmSitePool, a_job_that_ended_before_it_was_shown_is_not_submitted_again) {
  SiteTranscript transcript;
  transcript.pass(1);
  launch(transcript, pooled(transcript));
  transcript.slurm().end(transcript.slurm().job("1"), "cancelled");
  transcript.pass(200);
  EXPECT_EQ(submissions(transcript), 1u);
  EXPECT_TRUE(was_said(transcript, "job 0 is withdrawn"));
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 4u);
}

TEST(SlurmSitePool, a_job_that_slurm_took_and_forgot_is_not_submitted_again) {
  SiteTranscript transcript;
  transcript.pass(1);
  transcript.slurm().forgets = 0s;
  launch(transcript, pooled(transcript));
  transcript.slurm().end(transcript.slurm().job("1"), "cancelled");
  transcript.slurm().advance_to(transcript.slurm().now() + 1s);
  transcript.pass(200);
  EXPECT_EQ(submissions(transcript), 1u);
  EXPECT_TRUE(was_said(transcript, "job 0 is withdrawn"));
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 4u);
}

TEST(SlurmSitePool, a_job_that_somebody_else_holds_is_left_to_him) {
  SiteTranscript transcript;
  transcript.pass(1);
  transcript.slurm().starts = false;
  launch(transcript, pooled(transcript));
  transcript.slurm().job("1").held = true;
  transcript.pass(200);
  EXPECT_EQ(submissions(transcript), 1u);
  EXPECT_TRUE(transcript.slurm().job("1").held);
  EXPECT_TRUE(was_said(transcript, "job 0 is withdrawn"));
}

TEST(SlurmSitePool, a_job_whose_submission_is_refused_waits_for_a_site_again) {
  SiteTranscript transcript;
  transcript.pass(1);
  transcript.world.connection.behaviour = [](const nlohmann::json& request) {
    return FakeSlurm::Behaviour{.refusal = request.at("do") == "submit" ? "denied" : ""};
  };
  launch(transcript, pooled(transcript));
  transcript.pass(1);
  ASSERT_NE(transcript.world.pool.find(kNumber), nullptr);
  EXPECT_FALSE(transcript.world.pool.find(kNumber)->at);
  EXPECT_TRUE(was_said(transcript, "job 0 is interrupted"));
}

TEST(SlurmSitePool, a_job_of_which_nobody_knows_whether_it_was_taken_is_looked_for) {
  SiteTranscript transcript;
  transcript.pass(1);
  transcript.world.connection.behaviour = [&](const nlohmann::json& request) {
    if (request.at("do") != "submit") return FakeSlurm::Behaviour{};
    transcript.slurm().add_job({.comment = kComment, .gpus = 2});  // it was, but who asked hears
    return FakeSlurm::Behaviour{.refusal = "unreachable"};
  };
  launch(transcript, pooled(transcript));
  transcript.pass(200);
  EXPECT_EQ(submissions(transcript), 1u);
  EXPECT_EQ(transcript.site().find("1")->id, JobId{0});
  EXPECT_FALSE(was_said(transcript, "interrupted"));
}

TEST(SlurmSitePool, a_job_that_nobody_shows_is_given_back_after_a_while) {
  SiteTranscript transcript;
  transcript.pass(1);
  transcript.world.connection.behaviour = [](const nlohmann::json& request) {
    return FakeSlurm::Behaviour{.refusal = request.at("do") == "submit" ? "unreachable" : ""};
  };
  launch(transcript, pooled(transcript));
  transcript.pass(30);
  EXPECT_TRUE(transcript.world.pool.find(kNumber)->at);
  transcript.pass(60);
  EXPECT_FALSE(transcript.world.pool.find(kNumber)->at);
}

TEST(SlurmSitePool, what_others_write_into_a_comment_takes_nothing_from_the_pool) {
  SiteTranscript transcript(2, [](SiteOptions& options) { options.account = "penstock"; });
  pooled(transcript);
  transcript.slurm().add_job({.user = "mallory", .comment = kComment});
  transcript.pass(10);
  EXPECT_NE(transcript.world.pool.find(kNumber), nullptr);
  EXPECT_NE(transcript.site().find("1"), nullptr);
}

TEST(SlurmSitePool, a_job_of_an_earlier_life_takes_the_place_of_the_one_that_waits) {
  SiteTranscript transcript(2, [](SiteOptions& options) { options.account = "penstock"; });
  pooled(transcript);
  transcript.slurm().add_job({.user = "penstock", .comment = kComment});
  transcript.pass(2);
  EXPECT_EQ(transcript.world.pool.find(kNumber), nullptr);
  EXPECT_TRUE(was_said(transcript, "job 0 is withdrawn"));
  EXPECT_TRUE(was_said(transcript, "job 1 is submitted"));
}

TEST(SlurmSitePool, a_job_of_an_earlier_life_that_has_ended_is_not_run_again) {
  SiteTranscript transcript;
  pooled(transcript);
  transcript.slurm().end(transcript.slurm().add_job({.comment = kComment}), "completed");
  transcript.pass(2);
  EXPECT_EQ(transcript.world.pool.find(kNumber), nullptr);
}

TEST(SlurmSitePool, a_job_that_came_late_is_cancelled_where_another_site_has_it) {
  SiteTranscript transcript;
  pooled(transcript).at = "there";
  transcript.slurm().starts = false;
  transcript.slurm().add_job({.comment = kComment});
  transcript.pass(2);
  EXPECT_EQ(transcript.slurm().job("1").state, "cancelled");
  EXPECT_NE(transcript.world.pool.find(kNumber), nullptr);
}

}  // namespace
}  // namespace penstock
