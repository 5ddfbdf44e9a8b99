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
PooledJob& pooled(SiteTranscript& tale) {
  PooledJob& job = tale.world.pool.add(
      {.number = kNumber,
       .submission = {.script = "#!/bin/sh", .comment = kComment, .gpus = {.total = 2}}});
  tale.world.pool.set_id(job, tale.world.numbers.next());
  return job;
}

/// The scheduler starts it on the first two GPUs.
void launch(SiteTranscript& tale, PooledJob& job) {
  tale.site().launch(job, Start{*job.id, {{GpuId{0}, 2}}},
                     {"the test wants it", tale.world.slurm.now()});
  tale.flush();
}

std::size_t submissions(const SiteTranscript& tale) {
  return static_cast<std::size_t>(std::ranges::count_if(
      tale.world.wire.heard,
      [](const std::string& each) { return each.find("\"do\":\"submit\"") != std::string::npos; }));
}

bool was_said(const SiteTranscript& tale, std::string_view what) {
  return tale.text.find(what) != std::string::npos;
}

TEST(SlurmSitePool, a_job_is_submitted_placed_and_runs_as_believed) {
  SiteTranscript tale;
  tale.pass(1);
  launch(tale, pooled(tale));
  tale.pass(6);
  EXPECT_EQ(tale.world.pool.find(kNumber), nullptr);
  ASSERT_NE(tale.site().find("1"), nullptr);
  EXPECT_EQ(tale.site().find("1")->id, JobId{0});
  EXPECT_TRUE(tale.site().find("1")->confirmed);
  EXPECT_FALSE(was_said(tale, "interrupted"));
}

TEST(SlurmSitePool, a_job_that_cannot_be_governed_once_it_is_taken_is_not_submitted_again) {
  SiteTranscript tale(2,
                      [](SiteOptions& options) { options.users = {"ada"}; });  // it will be ann's
  tale.pass(1);
  launch(tale, pooled(tale));
  tale.pass(200);
  EXPECT_EQ(submissions(tale), 1u);
  EXPECT_EQ(tale.world.pool.find(kNumber), nullptr);
  EXPECT_TRUE(was_said(tale, "job 0 is interrupted"));
  EXPECT_TRUE(was_said(tale, "job 0 is withdrawn"));
}

TEST(SlurmSitePool, a_job_that_ended_before_it_was_shown_is_not_submitted_again) {
  SiteTranscript tale;
  tale.pass(1);
  launch(tale, pooled(tale));
  tale.slurm().end(tale.slurm().job("1"), "cancelled");
  tale.pass(200);
  EXPECT_EQ(submissions(tale), 1u);
  EXPECT_TRUE(was_said(tale, "job 0 is withdrawn"));
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 4u);
}

TEST(SlurmSitePool, a_job_that_slurm_took_and_forgot_is_not_submitted_again) {
  SiteTranscript tale;
  tale.pass(1);
  tale.slurm().forgets = 0s;
  launch(tale, pooled(tale));
  tale.slurm().end(tale.slurm().job("1"), "cancelled");
  tale.slurm().advance_to(tale.slurm().now() + 1s);
  tale.pass(200);
  EXPECT_EQ(submissions(tale), 1u);
  EXPECT_TRUE(was_said(tale, "job 0 is withdrawn"));
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 4u);
}

TEST(SlurmSitePool, a_job_that_somebody_else_holds_is_left_to_him) {
  SiteTranscript tale;
  tale.pass(1);
  tale.slurm().starts = false;
  launch(tale, pooled(tale));
  tale.slurm().job("1").held = true;
  tale.pass(200);
  EXPECT_EQ(submissions(tale), 1u);
  EXPECT_TRUE(tale.slurm().job("1").held);
  EXPECT_TRUE(was_said(tale, "job 0 is withdrawn"));
}

TEST(SlurmSitePool, a_job_whose_submission_is_refused_waits_for_a_site_again) {
  SiteTranscript tale;
  tale.pass(1);
  tale.world.wire.fate = [](const nlohmann::json& request) {
    return FakeSlurm::Fate{.refusal = request.at("do") == "submit" ? "denied" : ""};
  };
  launch(tale, pooled(tale));
  tale.pass(1);
  ASSERT_NE(tale.world.pool.find(kNumber), nullptr);
  EXPECT_FALSE(tale.world.pool.find(kNumber)->at);
  EXPECT_TRUE(was_said(tale, "job 0 is interrupted"));
}

TEST(SlurmSitePool, a_job_of_which_nobody_knows_whether_it_was_taken_is_looked_for) {
  SiteTranscript tale;
  tale.pass(1);
  tale.world.wire.fate = [&](const nlohmann::json& request) {
    if (request.at("do") != "submit") return FakeSlurm::Fate{};
    tale.slurm().add_job({.comment = kComment, .gpus = 2});  // it was, but who asked hears
    return FakeSlurm::Fate{.refusal = "unreachable"};
  };
  launch(tale, pooled(tale));
  tale.pass(200);
  EXPECT_EQ(submissions(tale), 1u);
  EXPECT_EQ(tale.site().find("1")->id, JobId{0});
  EXPECT_FALSE(was_said(tale, "interrupted"));
}

TEST(SlurmSitePool, a_job_that_nobody_shows_is_given_back_after_a_while) {
  SiteTranscript tale;
  tale.pass(1);
  tale.world.wire.fate = [](const nlohmann::json& request) {
    return FakeSlurm::Fate{.refusal = request.at("do") == "submit" ? "unreachable" : ""};
  };
  launch(tale, pooled(tale));
  tale.pass(30);
  EXPECT_TRUE(tale.world.pool.find(kNumber)->at);
  tale.pass(60);
  EXPECT_FALSE(tale.world.pool.find(kNumber)->at);
}

TEST(SlurmSitePool, what_others_write_into_a_comment_takes_nothing_from_the_pool) {
  SiteTranscript tale(2, [](SiteOptions& options) { options.account = "penstock"; });
  pooled(tale);
  tale.slurm().add_job({.user = "mallory", .comment = kComment});
  tale.pass(10);
  EXPECT_NE(tale.world.pool.find(kNumber), nullptr);
  EXPECT_NE(tale.site().find("1"), nullptr);
}

TEST(SlurmSitePool, a_job_of_an_earlier_life_takes_the_place_of_the_one_that_waits) {
  SiteTranscript tale(2, [](SiteOptions& options) { options.account = "penstock"; });
  pooled(tale);
  tale.slurm().add_job({.user = "penstock", .comment = kComment});
  tale.pass(2);
  EXPECT_EQ(tale.world.pool.find(kNumber), nullptr);
  EXPECT_TRUE(was_said(tale, "job 0 is withdrawn"));
  EXPECT_TRUE(was_said(tale, "job 1 is submitted"));
}

TEST(SlurmSitePool, a_job_of_an_earlier_life_that_has_ended_is_not_run_again) {
  SiteTranscript tale;
  pooled(tale);
  tale.slurm().end(tale.slurm().add_job({.comment = kComment}), "completed");
  tale.pass(2);
  EXPECT_EQ(tale.world.pool.find(kNumber), nullptr);
}

TEST(SlurmSitePool, a_job_that_came_late_is_cancelled_where_another_site_has_it) {
  SiteTranscript tale;
  pooled(tale).at = "there";
  tale.slurm().starts = false;
  tale.slurm().add_job({.comment = kComment});
  tale.pass(2);
  EXPECT_EQ(tale.slurm().job("1").state, "cancelled");
  EXPECT_NE(tale.world.pool.find(kNumber), nullptr);
}

}  // namespace
}  // namespace penstock
