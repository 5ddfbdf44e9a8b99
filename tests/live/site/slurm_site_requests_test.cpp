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
  SiteTranscript transcript;
  transcript.held({.comment = kElastic, .gpus = 2});
  transcript.pass(1);
  transcript.slurm().starts = false;
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.act(Resize{transcript.id("1"), gpus(4, 2), {}});
  transcript.slurm().starts = true;
  transcript.pass(2);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n1"]}
1.0 = 1 lost: another request took its place
1.7 = 2 confirmed: it runs
)");
}

TEST(SlurmSiteRequests, a_job_that_began_where_it_was_to_start_before_is_brought_on_from_there) {
  SiteTranscript transcript;
  transcript.held({.comment = kElastic, .gpus = 2});
  transcript.pass(1);
  transcript.slurm().starts = false;
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  ASSERT_TRUE(transcript.slurm().start(transcript.slurm().job("1"), {"n0"}));
  transcript.act(Resize{transcript.id("1"), gpus(4, 2), {}});
  transcript.pass(0.5);
  EXPECT_TRUE(transcript.site().find("1")->drew) << "its GPUs are not idle until it has stopped";
  transcript.slurm().starts = true;
  transcript.pass(5);
  EXPECT_EQ(transcript.text.find("interrupted"), std::string::npos) << transcript.text;
  EXPECT_TRUE(transcript.site().find("1")->confirmed);
  EXPECT_EQ(transcript.slurm().job("1").ran_on, std::vector<std::string>{"n1"});
  EXPECT_EQ(transcript.site().find("1")->runs_seen.size(), 2u);
}

TEST(SlurmSiteRequests, a_start_that_was_taken_back_before_it_was_sent_is_not_sent) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  const JobId id = transcript.id("1");
  transcript.site().execute({Start{id, gpus(0, 2)}, {"", transcript.slurm().now()}});
  transcript.site().execute({Preempt{id}, {"", transcript.slurm().now()}});
  transcript.flush();
  transcript.pass(1);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"admin_comment":"penstock: held","hold":true}
1.0 = 1 refused: it was taken back
1.0 = 2 confirmed
)");
}

TEST(SlurmSiteRequests, none_is_left_without_an_answer) {
  for (const Duration answers_after : {0ms, 150ms, 900ms}) {
    SiteTranscript transcript;
    transcript.world.connection.answer_delay = answers_after;
    transcript.held({.comment = kElastic, .gpus = 2, .length = 60s});
    transcript.pass(3);
    transcript.act(Start{transcript.id("1"), gpus(0, 2)});
    transcript.act(Resize{transcript.id("1"), gpus(4, 2), {}});
    transcript.pass(4);
    transcript.act(Resize{transcript.id("1"), gpus(0, 4), {}});
    transcript.pass(8);
    transcript.act(Resize{transcript.id("1"), gpus(4, 4), {}});
    transcript.act(Resize{transcript.id("1"), gpus(0, 4), {}});
    transcript.pass(200);
    std::map<std::int64_t, std::size_t> answers;
    for (const JournalAnswer& each : transcript.world.answers) ++answers[each.request];
    for (std::int64_t i = 1; i <= transcript.world.last_request; ++i)
      EXPECT_TRUE(answers.contains(i)) << "request " << i << transcript.text;
  }
}

/// Slurm started it before we could hold it, so nobody has marked it.
TEST(SlurmSiteRequests, a_job_that_we_stop_is_known_as_ours_after_a_restart) {
  SiteTranscript transcript;
  FakeJob& job = transcript.slurm().add_job({.comment = "penstock: checkpoint=yes", .gpus = 2});
  ASSERT_TRUE(transcript.slurm().start(job, {"n0"}));
  transcript.pass(6);
  ASSERT_TRUE(transcript.site().find("1")->confirmed);
  transcript.act(Preempt{transcript.id("1")});
  transcript.pass(6);
  EXPECT_TRUE(transcript.slurm().job("1").held);
  EXPECT_EQ(transcript.slurm().job("1").admin_comment, "penstock: held");
  transcript.world.restart();
  transcript.pass(2);
  ASSERT_NE(transcript.site().find("1"), nullptr);
  EXPECT_TRUE(transcript.site().find("1")->id);
}

/// It ran, was stopped, could not be started again and ends while it rests.
TEST(SlurmSiteRequests, a_job_that_ends_while_it_rests_has_the_bill_of_what_it_ran) {
  SiteTranscript transcript(2, [](SiteOptions& options) { options.start_timeout = 5s; });
  transcript.held({.comment = "penstock: checkpoint=yes", .gpus = 2});
  transcript.pass(1);
  const JobId id = transcript.id("1");
  transcript.act(Start{id, gpus(0, 2)});
  transcript.pass(6);
  transcript.act(Preempt{id});
  transcript.pass(3);
  transcript.slurm().starts = false;
  transcript.act(Start{id, gpus(0, 2)});
  transcript.pass(10);
  ASSERT_FALSE(transcript.site().find("1")->id);  // it rests
  transcript.site().add_bill(id, {.energy = Joules(1234)});
  transcript.site().add_bill(id, {.energy = Joules(1000)});  // is told once
  transcript.slurm().end(transcript.slurm().job("1"), "cancelled");
  transcript.pass(6);
  ASSERT_EQ(transcript.world.notes.back().what, "ended");
  const auto detail = nlohmann::json::parse(transcript.world.notes.back().detail);
  EXPECT_EQ(detail.at("energy_j"), 1234);
}

TEST(SlurmSiteRequests, a_node_that_was_not_let_sleep_is_awake_for_the_scheduler) {
  SiteTranscript transcript;
  transcript.pass(1);
  transcript.world.connection.behaviour = [](const nlohmann::json& request) {
    return FakeSlurm::Behaviour{.refusal = request.at("do") == "power_down" ? "denied" : ""};
  };
  transcript.act(Sleep{NodeId{1}});
  transcript.pass(2);
  EXPECT_EQ(transcript.text, R"(
1.0 -> power_down {"nodes":["n1"],"reason":"penstock"}
1.0 = 1 refused: because denied
1.0 n1 fails
1.1 n1 is repaired
)");
}

/// The daemon was away when it was submitted.
TEST(SlurmSiteRequests, what_a_start_took_does_not_count_the_time_nobody_looked) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2, .length = 5s});
  transcript.slurm().advance_to(transcript.slurm().now() + 1h);
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(3);
  ASSERT_TRUE(transcript.site().find("1")->runs_seen.back().lag);
  EXPECT_LE(*transcript.site().find("1")->runs_seen.back().lag, 8s);
}

/// Answers come in the order of the questions: jobs would be told while drained nodes seem free.
TEST(SlurmSiteRequests, nodes_are_asked_for_before_jobs) {
  SiteTranscript transcript;
  std::vector<std::string> asked;
  transcript.world.connection.behaviour = [&](const nlohmann::json& request) {
    asked.push_back(request.at("do"));
    return FakeSlurm::Behaviour{};
  };
  transcript.pass(1);
  ASSERT_GE(asked.size(), 2u);
  EXPECT_EQ(asked[0], "nodes");
  EXPECT_EQ(asked[1], "jobs");
}

TEST(SlurmSiteRequests, what_a_user_said_of_a_job_that_ended_unseen_is_written_down) {
  SiteTranscript transcript;
  FakeJob& job = transcript.slurm().add_job({.comment = kElastic, .gpus = 2});
  ASSERT_TRUE(transcript.slurm().start(job, {"n0"}));
  transcript.slurm().advance_to(transcript.slurm().now() + 2s);
  transcript.slurm().end(job, "completed");
  transcript.pass(2);
  const auto detail = nlohmann::json::parse(transcript.world.notes.back().detail);
  EXPECT_EQ(detail.at("kind"), "resnet");
  EXPECT_EQ(detail.at("most"), 8);
  EXPECT_EQ(detail.at("pinned"), false);
}

TEST(SlurmSiteRequests, that_a_job_was_submitted_is_written_down_once) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.site().history().remember_asked("1", {.gpus = 2, .nodes = 1});
  transcript.pass(1);
  EXPECT_TRUE(transcript.site().find("1")->id);
  EXPECT_EQ(std::ranges::count(transcript.world.notes, "submitted", &JournalEntry::what), 0);
}

TEST(SlurmSiteRequests, work_that_nobody_believes_is_complained_of) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: profile=resnet gpus=1-8 work=1e20", .gpus = 2});
  transcript.pass(1);
  const TrackedJob& job = *transcript.site().find("1");
  ASSERT_EQ(job.problems.size(), 1u);
  EXPECT_EQ(job.problems.front(),
            "work=1e+20 is more than 10 years of 2 GPUs, which nobody believes");
  EXPECT_LT(job.work, 1e10);
}

}  // namespace
}  // namespace penstock
