#include "live/site/slurm_site.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(SlurmSite, a_job_is_told_started_confirmed_and_ends) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2, .length = 8s});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  EXPECT_TRUE(transcript.site().find("1")->confirmed);
  transcript.pass(10);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.3 job 0 was measured: 0 done at 1.5 drew 762.366 W
10.3 job 0 finishes
)");
}

TEST(SlurmSite, a_start_that_is_refused_is_undone_and_the_job_rests) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2, .length = 8s});
  transcript.pass(1);
  transcript.world.connection.behaviour = [](const nlohmann::json& request) {
    return FakeSlurm::Behaviour{.refusal = request.contains("gpus_per_node") ? "denied" : ""};
  };
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(20);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.0 -> update 1 {"admin_comment":"penstock: held","hold":true}
1.0 = 1 refused: because denied
1.0 job 0 is interrupted
1.1 = 2 confirmed
1.1 job 0 is withdrawn
20.5 job 1 is submitted
)");
}

TEST(SlurmSite, a_start_that_never_comes_is_undone_held_and_told_again) {
  SiteTranscript transcript(2, [](SiteOptions& options) { options.start_timeout = 10s; });
  transcript.held({.gpus = 2});
  transcript.slurm().starts = false;
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(30);
  EXPECT_TRUE(transcript.slurm().job("1").held);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
11.1 -> update 1 {"admin_comment":"penstock: held","hold":true}
11.1 = 1 refused: Slurm did not start it within 10 s: none
11.1 job 0 is interrupted
11.2 = 2 confirmed
11.2 job 0 is withdrawn
30.7 job 1 is submitted
)");
}

TEST(SlurmSite, a_job_that_others_requeue_is_interrupted_and_held) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(5);
  transcript.slurm().send_back(transcript.slurm().job("1"), false);
  transcript.pass(6);
  EXPECT_TRUE(transcript.slurm().job("1").held);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.3 -> update 1 {"admin_comment":"penstock: held","hold":true}
10.3 job 0 is interrupted
10.4 = 2 confirmed
)");
}

TEST(SlurmSite, a_job_that_runs_elsewhere_than_asked_is_found_there) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  transcript.slurm().starts = false;
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  ASSERT_TRUE(transcript.slurm().start(transcript.slurm().job("1"), {"n1"}));
  transcript.pass(3);
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 4u);
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{1}), 2u);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 = 1 refused: it runs elsewhere
1.3 job 0 is interrupted
1.4 job 0 was started on 4+2
)");
}

TEST(SlurmSite, a_job_that_runs_elsewhere_is_not_to_be_started_meanwhile) {
  LiveWorld world;
  FakeJob& job = world.slurm.add_job({.admin_comment = "penstock: held", .held = true, .gpus = 2});
  Batch batch;
  ASSERT_TRUE(world.wait(std::nullopt, batch));
  const JobId id = *world.site->find("1")->id;
  EXPECT_FALSE(world.site->why_not_start(id));
  world.site->execute({Start{id, gpus(0, 2)}, {"", world.slurm.now()}});
  ASSERT_TRUE(world.slurm.start(job, {"n1"}));
  ASSERT_TRUE(world.wait(std::nullopt, batch));
  ASSERT_TRUE(std::holds_alternative<JobInterrupted>(batch.events.front()));
  EXPECT_EQ(world.site->why_not_start(id), "Slurm has started it elsewhere");
}

TEST(SlurmSite, a_job_that_is_cancelled_while_it_starts_is_gone) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  transcript.slurm().starts = false;
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.slurm().end(transcript.slurm().job("1"), "cancelled");
  transcript.pass(2);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 = 1 refused: it is not where it should be
1.3 job 0 is interrupted
1.4 job 0 is withdrawn
)");
}

TEST(SlurmSite, a_job_that_runs_and_ends_between_two_looks_has_run) {
  SiteTranscript transcript;
  transcript.slurm().start_delay = 0s;
  transcript.held({.gpus = 2, .length = 100ms});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 = 1 confirmed: it ran
1.3 job 0 was measured: 0 done at 1.3 drew 100 W
1.3 job 0 finishes
)");
}

TEST(SlurmSite, a_job_without_grace_is_stopped_at_once_and_waits) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: checkpoint=yes", .gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.act(Preempt{transcript.id("1")});
  transcript.pass(2);
  EXPECT_EQ(transcript.slurm().job("1").signals, 0u);
  EXPECT_TRUE(transcript.slurm().job("1").held);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.0 -> requeue 1 {"hold":true}
3.3 = 2 confirmed: it stopped
)");
}

TEST(SlurmSite, a_job_with_grace_is_told_to_save_first) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: checkpoint=yes grace=4s", .gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.act(Preempt{transcript.id("1")});
  transcript.pass(6);
  EXPECT_EQ(transcript.slurm().job("1").signals, 1u);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.0 -> signal 1 {"signal":"SIGUSR1","to":"batch"}
3.0 = 2 confirmed
7.0 -> requeue 1 {"hold":true}
7.3 = 3 confirmed: it stopped
)");
}

TEST(SlurmSite, a_resized_job_is_stopped_and_started_with_other_gpus) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: profile=resnet gpus=1-8", .gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.act(Resize{transcript.id("1"), gpus(4, 4), {}});
  transcript.pass(4);
  EXPECT_EQ(transcript.slurm().job("1").holds.at("n1").size(), 4u);
  EXPECT_TRUE(transcript.site().find("1")->confirmed);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.0 -> requeue 1 {"hold":true}
3.3 = 2 confirmed: it stopped
4.8 -> update 1 {"gpus_per_node":4,"hold":false,"node_count":1,"nodes":["n1"],"start_now":true}
5.2 = 3 confirmed: it runs
)");
}

TEST(SlurmSite, a_job_that_ends_while_it_is_stopped_has_ended) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: checkpoint=yes grace=30s", .gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.act(Preempt{transcript.id("1")});
  transcript.slurm().end(transcript.slurm().job("1"), "completed");
  transcript.pass(6);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.0 -> signal 1 {"signal":"SIGUSR1","to":"batch"}
3.0 = 2 confirmed
3.3 job 0 is withdrawn
)");
}

TEST(SlurmSite, a_job_that_slurm_no_longer_has_has_ended) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.slurm().end(transcript.slurm().job("1"), "completed");
  transcript.slurm().jobs().clear();
  transcript.slurm().node("n0").free = {0, 1, 2, 3};
  transcript.pass(6);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
5.2 job 0 was measured: 0 done at 1.5 drew 716.667 W
5.2 job 0 finishes
)");
}

TEST(SlurmSite, tasks_of_an_array_are_jobs_of_their_own) {
  SiteTranscript transcript;
  transcript.held({.number = 8, .array_job = 7, .array_task = 0, .gpus = 1});
  transcript.held({.number = 9, .array_job = 7, .array_task = 3, .gpus = 1});
  transcript.pass(1);
  transcript.act(Start{transcript.id("7_3"), gpus(0, 1)});
  transcript.pass(3);
  EXPECT_TRUE(transcript.slurm().job("7_3").runs());
  EXPECT_TRUE(transcript.slurm().job("7_0").held);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
0.1 job 1 is submitted
1.0 -> update 7_3 {"gpus_per_node":1,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
)");
}

TEST(SlurmSite, a_job_of_another_partition_is_left_alone_and_its_gpus_are_taken) {
  SiteTranscript transcript;
  transcript.slurm().add_job({.partition = "other", .gpus = 3, .length = 5s});
  transcript.pass(7);
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 1u);
  transcript.pass(6);  // it has ended, and Slurm still shows it
  EXPECT_TRUE(transcript.slurm().job("1").is_over());
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 4u);
  EXPECT_EQ(transcript.text, R"(
5.2 job 0 is submitted
5.2 job 0 was started on 0+3
10.3 job 0 finishes
)");
}

TEST(SlurmSite, a_job_that_is_not_for_us_is_released_until_slurm_shows_it) {
  SiteTranscript transcript;
  transcript.held({.gpus = 99});
  bool loses = true;
  transcript.world.connection.behaviour = [&](const nlohmann::json& request) {
    const bool lost = loses && request.contains("hold");
    loses = loses && !lost;
    return FakeSlurm::Behaviour{.lost = lost, .done = !lost};
  };
  transcript.pass(16);
  EXPECT_FALSE(transcript.slurm().job("1").held);
  EXPECT_EQ(transcript.text, R"(
0.1 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
0.2 = 1 lost: the bridge ended before it answered
11.5 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
11.6 = 2 confirmed
)");
}

TEST(SlurmSite, a_drained_node_gets_no_new_jobs_and_fails_when_it_is_empty) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2, .length = 20s});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.slurm().set_node("n0", "mixed", {"drain"});
  transcript.pass(9);
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 0u);
  transcript.pass(15);
  transcript.slurm().set_node("n0", "idle", {});
  transcript.pass(11);
  EXPECT_EQ(transcript.site().mirror().free_on(NodeId{0}), 4u);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.2 job 0 was measured: 0 done at 1.5 drew 761.957 W
10.2 job 1 is submitted
10.2 job 1 was started on 2+2
25.6 job 0 finishes
25.6 job 1 finishes
25.6 n0 fails
30.6 n0 is repaired
)");
}

TEST(SlurmSite, gpus_that_another_job_takes_are_taken_from_a_start_that_has_not_come) {
  SiteTranscript transcript;
  transcript.held({.gpus = 4});
  transcript.pass(1);
  transcript.slurm().starts = false;
  transcript.act(Start{transcript.id("1"), gpus(0, 4)});
  FakeJob& other = transcript.slurm().add_job({.partition = "other", .gpus = 2});
  ASSERT_TRUE(transcript.slurm().start(other, {"n0"}));
  transcript.pass(6);
  EXPECT_TRUE(transcript.slurm().job("1").held);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":4,"hold":false,"node_count":1,"nodes":["n0"]}
5.2 -> update 1 {"admin_comment":"penstock: held","hold":true}
5.2 = 1 refused: its GPUs were taken by another job
5.2 job 0 is interrupted
5.2 job 1 is submitted
5.2 job 1 was started on 0+2
5.3 = 2 confirmed
)");
}

TEST(SlurmSite, after_a_restart_all_is_as_slurm_shows_it) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.held({.gpus = 4});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(4, 2)});
  transcript.pass(3);
  transcript.world.restart();
  transcript.add_line("restart");
  transcript.pass(2);
  EXPECT_TRUE(transcript.site().has_looked());
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
0.1 job 1 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n1"]}
1.7 = 1 confirmed: it runs
4.0 restart
4.1 job 0 is submitted
4.1 job 1 is submitted
4.1 job 1 was started on 4+2
)");
}

TEST(SlurmSite, what_its_user_asked_for_is_known_after_it_was_changed_and_after_a_restart) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: profile=resnet gpus=1-4", .gpus = 1});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(3);
  EXPECT_EQ(transcript.site().find("1")->seen.gpus, 2u);
  EXPECT_EQ(transcript.site().find("1")->asked, 1u);
  transcript.world.restart();
  const Time submitted = kNoon - 1h;  // a requeue makes it a new one for Slurm
  transcript.site().history().remember_asked("1", {.gpus = 1, .submitted = submitted});
  transcript.pass(2);
  EXPECT_EQ(transcript.site().find("1")->asked, 1u);
  EXPECT_EQ(transcript.site().find("1")->seen.submitted, submitted);
}

TEST(SlurmSite, a_job_that_runs_as_asked_keeps_its_shape_and_is_slurms_if_it_gets_none) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2, .gpus_per_node = 2});
  transcript.pass(1);
  EXPECT_FALSE(transcript.site().why_not_shaped(transcript.id("1"), gpus(0, 2)));
  EXPECT_EQ(transcript.site().why_not_shaped(transcript.id("1"), {{GpuId{3}, 1}, {GpuId{4}, 1}}),
            "its user asked for 2 GPUs on each of 1 nodes");
  transcript.site().hand_over(transcript.id("1"), "it found no place", transcript.slurm().now());
  transcript.pass(7);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
1.0 job 0 is withdrawn
1.1 = 1 confirmed
5.2 job 1 is submitted
5.2 job 1 was started on 0+2
)");  // not for us: its GPUs are taken
}

TEST(SlurmSite, tells_jobs_of_one_second_in_the_order_of_their_numbers) {
  SiteTranscript transcript;
  for (int i = 0; i < 11; ++i) transcript.held({.gpus = 1});
  transcript.pass(1);
  EXPECT_LT(transcript.id("2"), transcript.id("9"));
  EXPECT_LT(transcript.id("9"), transcript.id("10"));
  EXPECT_TRUE(RefOrder()("9_2", "9_10"));
  EXPECT_TRUE(RefOrder()("9_10", "10_1"));
}

TEST(SlurmSite, only_a_range_of_gpus_frees_a_job_from_its_shape) {
  SiteTranscript transcript;
  transcript.held({.comment = "penstock: checkpoint=yes", .gpus = 2, .gpus_per_node = 2});
  transcript.held({.comment = "penstock: profile=resnet gpus=1-4", .gpus = 2, .gpus_per_node = 2});
  transcript.pass(1);
  const Placement across{{GpuId{3}, 1}, {GpuId{4}, 1}};
  EXPECT_TRUE(transcript.site().why_not_shaped(transcript.id("1"), across));
  EXPECT_FALSE(transcript.site().why_not_shaped(transcript.id("2"), across));
}

TEST(SlurmSite, a_job_whose_dependency_can_never_be_is_slurms) {
  SiteTranscript transcript;
  FakeJob& job = transcript.held({.dependency = "afterok:9(failed)", .gpus = 1});
  transcript.slurm().starts = false;
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 1)});
  job.reason = "dependency_never";
  transcript.pass(12);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":1,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 -> update 1 {"admin_comment":"penstock: held","hold":true}
1.3 = 1 refused: what it waits for will never be
1.3 job 0 is interrupted
1.4 = 2 confirmed
1.4 job 0 is withdrawn
5.2 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
5.3 = 3 confirmed
)");
}

TEST(SlurmSite, lets_go_of_what_it_holds) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.slurm().add_job({.held = true, .gpus = 2});  // by its owner
  transcript.pass(1);
  transcript.world.permissions = {};
  transcript.site().release_all({"nobody steers", transcript.slurm().now()});
  transcript.pass(6);
  EXPECT_TRUE(transcript.slurm().job("1").runs());
  EXPECT_TRUE(transcript.slurm().job("2").held);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"admin_comment":"penstock: released","hold":false,"nodes":[]}
1.1 = 1 confirmed
5.2 job 0 was started on 0+2
)");
}

TEST(SlurmSite, a_start_whose_answer_is_lost_is_asked_for_again) {
  SiteTranscript transcript;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  bool loses = true;
  transcript.world.connection.behaviour = [&](const nlohmann::json& request) {
    const bool lost = loses && request.contains("hold");
    loses = loses && !lost;
    return FakeSlurm::Behaviour{.lost = lost, .done = !lost};
  };
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(5);
  EXPECT_TRUE(transcript.site().find("1")->confirmed);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.0 = 1 lost: the bridge ended before it answered
4.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
4.5 = 2 confirmed: it runs
)");
}

TEST(SlurmSite, a_job_that_was_just_stopped_settles_before_it_starts_again) {
  SiteTranscript transcript;
  transcript.slurm().completing = 1s;
  transcript.held({.gpus = 2});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  transcript.pass(2);
  transcript.slurm().send_back(transcript.slurm().job("1"), false);
  transcript.world.connection.hint(transcript.slurm().job("1"));
  transcript.pass(0.3);
  transcript.act(Start{transcript.id("1"), gpus(4, 2)});
  transcript.pass(4);
  EXPECT_TRUE(transcript.slurm().job("1").holds.contains("n1"));
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.1 -> update 1 {"admin_comment":"penstock: held","hold":true}
3.1 job 0 is interrupted
3.2 = 2 confirmed
4.6 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n1"],"start_now":true}
5.2 = 3 confirmed: it runs
)");
}

TEST(SlurmSite, a_job_that_waits_for_another_is_told_once_that_is_over) {
  SiteTranscript transcript;
  transcript.held({.gpus = 1, .length = 8s});
  transcript.held({.dependency = "afterok:1(unfulfilled)", .gpus = 1});
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 1)});
  transcript.pass(20);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":1,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.3 job 0 was measured: 0 done at 1.5 drew 381.183 W
10.3 job 0 finishes
10.3 job 1 is submitted
)");
}

TEST(SlurmSite, a_job_is_not_told_before_its_time) {
  SiteTranscript transcript;
  transcript.held({.begins = kNoon + 12s, .gpus = 1});
  transcript.pass(11);
  EXPECT_EQ(transcript.text, "\n");
  transcript.pass(6);
  EXPECT_EQ(transcript.text, "\n15.4 job 0 is submitted\n");
}

TEST(SlurmSite, a_start_that_slurm_makes_wait_for_another_job_is_undone_at_once) {
  SiteTranscript transcript;
  FakeJob& job = transcript.held({.dependency = "singleton(unfulfilled)", .gpus = 1});
  transcript.slurm().starts = false;
  transcript.pass(1);
  transcript.act(Start{transcript.id("1"), gpus(0, 1)});
  job.reason = "dependency";
  transcript.pass(2);
  EXPECT_EQ(transcript.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":1,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 -> update 1 {"admin_comment":"penstock: held","hold":true}
1.3 = 1 refused: it waits for other jobs, or for its time
1.3 job 0 is interrupted
1.4 = 2 confirmed
1.4 job 0 is withdrawn
)");
}

TEST(SlurmSite, a_job_of_a_user_outside_the_fence_was_said_to_have_left_the_partitions) {
  SiteTranscript transcript(2, [](SiteOptions& options) { options.users = {"bob"}; });
  transcript.held({.user = "ann"});
  transcript.held({.user = "bob", .partition = "other"});
  transcript.pass(2);
  std::vector<std::string> said;
  for (const JournalEntry& note : transcript.world.notes)
    if (note.what == "left to Slurm")
      said.push_back(nlohmann::json::parse(note.detail)["text"].get<std::string>());
  EXPECT_EQ(said, (std::vector<std::string>{
                      "left to Slurm: its user 'ann' is not one of fence.users",
                      "left to Slurm: its partition 'other' is not governed; governed are: main"}));
}

}  // namespace
}  // namespace penstock
