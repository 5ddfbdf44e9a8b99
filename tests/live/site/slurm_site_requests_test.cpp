// What becomes of requests that were replaced, and of jobs that they stop.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr const char* kElastic = "penstock: profile=resnet gpus=1-8";

TEST(SlurmSiteRequests, a_start_that_another_replaces_is_told_as_such) {
  SiteTranscript tale;
  tale.held({.comment = kElastic, .gpus = 2});
  tale.pass(1);
  tale.slurm().starts = false;
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.act(Resize{tale.id("1"), gpus(4, 2), {}});
  tale.slurm().starts = true;
  tale.pass(2);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n1"]}
1.0 = 1 lost: another request took its place
1.7 = 2 confirmed: it runs
)");
}

TEST(SlurmSiteRequests, a_job_that_began_where_it_was_to_start_before_is_brought_on_from_there) {
  SiteTranscript tale;
  tale.held({.comment = kElastic, .gpus = 2});
  tale.pass(1);
  tale.slurm().starts = false;
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  ASSERT_TRUE(tale.slurm().start(tale.slurm().job("1"), {"n0"}));
  tale.act(Resize{tale.id("1"), gpus(4, 2), {}});
  tale.pass(0.5);
  EXPECT_TRUE(tale.site().find("1")->drew) << "its GPUs are not idle until it has stopped";
  tale.slurm().starts = true;
  tale.pass(5);
  EXPECT_EQ(tale.text.find("interrupted"), std::string::npos) << tale.text;
  EXPECT_TRUE(tale.site().find("1")->confirmed);
  EXPECT_EQ(tale.slurm().job("1").ran_on, std::vector<std::string>{"n1"});
  EXPECT_EQ(tale.site().find("1")->runs_seen.size(), 2u);
}

TEST(SlurmSiteRequests, a_start_that_was_taken_back_before_it_was_sent_is_not_sent) {
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.pass(1);
  const JobId id = tale.id("1");
  tale.site().execute({Start{id, gpus(0, 2)}, {"", tale.slurm().now()}});
  tale.site().execute({Preempt{id}, {"", tale.slurm().now()}});
  tale.flush();
  tale.pass(1);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"admin_comment":"penstock: held","hold":true}
1.0 = 1 refused: it was taken back
1.0 = 2 confirmed
)");
}

TEST(SlurmSiteRequests, none_is_left_without_an_answer) {
  for (const Duration answers_after : {0ms, 150ms, 900ms}) {
    SiteTranscript tale;
    tale.world.wire.answer_delay = answers_after;
    tale.held({.comment = kElastic, .gpus = 2, .length = 60s});
    tale.pass(3);
    tale.act(Start{tale.id("1"), gpus(0, 2)});
    tale.act(Resize{tale.id("1"), gpus(4, 2), {}});
    tale.pass(4);
    tale.act(Resize{tale.id("1"), gpus(0, 4), {}});
    tale.pass(8);
    tale.act(Resize{tale.id("1"), gpus(4, 4), {}});
    tale.act(Resize{tale.id("1"), gpus(0, 4), {}});
    tale.pass(200);
    std::map<std::int64_t, std::size_t> answers;
    for (const JournalAnswer& each : tale.world.answers) ++answers[each.request];
    for (std::int64_t i = 1; i <= tale.world.last_request; ++i)
      EXPECT_TRUE(answers.contains(i)) << "request " << i << tale.text;
  }
}

/// Slurm started it before we could hold it, so nobody has marked it.
TEST(SlurmSiteRequests, a_job_that_we_stop_is_known_as_ours_after_a_restart) {
  SiteTranscript tale;
  FakeJob& job = tale.slurm().add_job({.comment = "penstock: checkpoint=yes", .gpus = 2});
  ASSERT_TRUE(tale.slurm().start(job, {"n0"}));
  tale.pass(6);
  ASSERT_TRUE(tale.site().find("1")->confirmed);
  tale.act(Preempt{tale.id("1")});
  tale.pass(6);
  EXPECT_TRUE(tale.slurm().job("1").held);
  EXPECT_EQ(tale.slurm().job("1").admin_comment, "penstock: held");
  tale.world.restart();
  tale.pass(2);
  ASSERT_NE(tale.site().find("1"), nullptr);
  EXPECT_TRUE(tale.site().find("1")->id);
}

/// It ran, was stopped, could not be started again and ends while it rests.
TEST(SlurmSiteRequests, a_job_that_ends_while_it_rests_has_the_bill_of_what_it_ran) {
  SiteTranscript tale(2, [](SiteOptions& options) { options.start_patience = 5s; });
  tale.held({.comment = "penstock: checkpoint=yes", .gpus = 2});
  tale.pass(1);
  const JobId id = tale.id("1");
  tale.act(Start{id, gpus(0, 2)});
  tale.pass(6);
  tale.act(Preempt{id});
  tale.pass(3);
  tale.slurm().starts = false;
  tale.act(Start{id, gpus(0, 2)});
  tale.pass(10);
  ASSERT_FALSE(tale.site().find("1")->id);  // it rests
  tale.site().add_bill(id, {.energy = Joules(1234)});
  tale.site().add_bill(id, {.energy = Joules(1000)});  // is told once
  tale.slurm().end(tale.slurm().job("1"), "cancelled");
  tale.pass(6);
  ASSERT_EQ(tale.world.notes.back().what, "ended");
  const auto detail = nlohmann::json::parse(tale.world.notes.back().detail);
  EXPECT_EQ(detail.at("energy_j"), 1234);
}

TEST(SlurmSiteRequests, a_node_that_was_not_let_sleep_is_awake_for_the_scheduler) {
  SiteTranscript tale;
  tale.pass(1);
  tale.world.wire.fate = [](const nlohmann::json& request) {
    return FakeSlurm::Fate{.refusal = request.at("do") == "power_down" ? "denied" : ""};
  };
  tale.act(Sleep{NodeId{1}});
  tale.pass(2);
  EXPECT_EQ(tale.text, R"(
1.0 -> power_down {"nodes":["n1"],"reason":"penstock"}
1.0 = 1 refused: because denied
1.0 n1 fails
1.1 n1 is repaired
)");
}

/// The daemon was away when it was submitted.
TEST(SlurmSiteRequests, what_a_start_took_does_not_count_the_time_nobody_looked) {
  SiteTranscript tale;
  tale.held({.gpus = 2, .length = 5s});
  tale.slurm().advance_to(tale.slurm().now() + 1h);
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(3);
  ASSERT_TRUE(tale.site().find("1")->runs_seen.back().lag);
  EXPECT_LE(*tale.site().find("1")->runs_seen.back().lag, 8s);
}

/// Answers come in the order of the questions: jobs would be told while drained nodes seem free.
TEST(SlurmSiteRequests, nodes_are_asked_for_before_jobs) {
  SiteTranscript tale;
  std::vector<std::string> asked;
  tale.world.wire.fate = [&](const nlohmann::json& request) {
    asked.push_back(request.at("do"));
    return FakeSlurm::Fate{};
  };
  tale.pass(1);
  ASSERT_GE(asked.size(), 2u);
  EXPECT_EQ(asked[0], "nodes");
  EXPECT_EQ(asked[1], "jobs");
}

TEST(SlurmSiteRequests, what_a_user_said_of_a_job_that_ended_unseen_is_written_down) {
  SiteTranscript tale;
  FakeJob& job = tale.slurm().add_job({.comment = kElastic, .gpus = 2});
  ASSERT_TRUE(tale.slurm().start(job, {"n0"}));
  tale.slurm().advance_to(tale.slurm().now() + 2s);
  tale.slurm().end(job, "completed");
  tale.pass(2);
  const auto detail = nlohmann::json::parse(tale.world.notes.back().detail);
  EXPECT_EQ(detail.at("kind"), "resnet");
  EXPECT_EQ(detail.at("most"), 8);
  EXPECT_EQ(detail.at("pinned"), false);
}

TEST(SlurmSiteRequests, that_a_job_was_submitted_is_written_down_once) {
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.site().history().remember_asked("1", {.gpus = 2, .nodes = 1});
  tale.pass(1);
  EXPECT_TRUE(tale.site().find("1")->id);
  EXPECT_EQ(std::ranges::count(tale.world.notes, "submitted", &JournalEntry::what), 0);
}

TEST(SlurmSiteRequests, work_that_nobody_believes_is_complained_of) {
  SiteTranscript tale;
  tale.held({.comment = "penstock: profile=resnet gpus=1-8 work=1e20", .gpus = 2});
  tale.pass(1);
  const TrackedJob& job = *tale.site().find("1");
  ASSERT_EQ(job.complaints.size(), 1u);
  EXPECT_EQ(job.complaints.front(),
            "work=1e+20 is more than 10 years of 2 GPUs, which nobody believes");
  EXPECT_LT(job.work, 1e10);
}

}  // namespace
}  // namespace penstock
