#include "live/site/slurm_site.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(SlurmSite, a_job_is_told_started_confirmed_and_ends) {
  SiteTranscript tale;
  tale.held({.gpus = 2, .length = 8s});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  EXPECT_TRUE(tale.site().find("1")->confirmed);
  tale.pass(10);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.3 job 0 was measured: 0 done at 1.5 drew 762.366 W
10.3 job 0 finishes
)");
}

TEST(SlurmSite, a_start_that_is_refused_is_undone_and_the_job_rests) {
  SiteTranscript tale;
  tale.held({.gpus = 2, .length = 8s});
  tale.pass(1);
  tale.world.wire.fate = [](const nlohmann::json& request) {
    return FakeSlurm::Fate{.refusal = request.contains("gpus_per_node") ? "denied" : ""};
  };
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(20);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale(2, [](SiteOptions& options) { options.start_patience = 10s; });
  tale.held({.gpus = 2});
  tale.slurm().starts = false;
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(30);
  EXPECT_TRUE(tale.slurm().job("1").held);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(5);
  tale.slurm().send_back(tale.slurm().job("1"), false);
  tale.pass(6);
  EXPECT_TRUE(tale.slurm().job("1").held);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.3 -> update 1 {"admin_comment":"penstock: held","hold":true}
10.3 job 0 is interrupted
10.4 = 2 confirmed
)");
}

TEST(SlurmSite, a_job_that_runs_elsewhere_than_asked_is_found_there) {
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.pass(1);
  tale.slurm().starts = false;
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  ASSERT_TRUE(tale.slurm().start(tale.slurm().job("1"), {"n1"}));
  tale.pass(3);
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 4u);
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{1}), 2u);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.pass(1);
  tale.slurm().starts = false;
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.slurm().end(tale.slurm().job("1"), "cancelled");
  tale.pass(2);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 = 1 refused: it is not where it should be
1.3 job 0 is interrupted
1.4 job 0 is withdrawn
)");
}

TEST(SlurmSite, a_job_that_runs_and_ends_between_two_looks_has_run) {
  SiteTranscript tale;
  tale.slurm().start_delay = 0s;
  tale.held({.gpus = 2, .length = 100ms});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.3 = 1 confirmed: it ran
1.3 job 0 was measured: 0 done at 1.3 drew 100 W
1.3 job 0 finishes
)");
}

TEST(SlurmSite, a_job_without_grace_is_stopped_at_once_and_waits) {
  SiteTranscript tale;
  tale.held({.comment = "penstock: checkpoint=yes", .gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.act(Preempt{tale.id("1")});
  tale.pass(2);
  EXPECT_EQ(tale.slurm().job("1").signals, 0u);
  EXPECT_TRUE(tale.slurm().job("1").held);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.0 -> requeue 1 {"hold":true}
3.3 = 2 confirmed: it stopped
)");
}

TEST(SlurmSite, a_job_with_grace_is_told_to_save_first) {
  SiteTranscript tale;
  tale.held({.comment = "penstock: checkpoint=yes grace=4s", .gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.act(Preempt{tale.id("1")});
  tale.pass(6);
  EXPECT_EQ(tale.slurm().job("1").signals, 1u);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.comment = "penstock: profile=resnet gpus=1-8", .gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.act(Resize{tale.id("1"), gpus(4, 4), {}});
  tale.pass(4);
  EXPECT_EQ(tale.slurm().job("1").holds.at("n1").size(), 4u);
  EXPECT_TRUE(tale.site().find("1")->confirmed);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.comment = "penstock: checkpoint=yes grace=30s", .gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.act(Preempt{tale.id("1")});
  tale.slurm().end(tale.slurm().job("1"), "completed");
  tale.pass(6);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
3.0 -> signal 1 {"signal":"SIGUSR1","to":"batch"}
3.0 = 2 confirmed
3.3 job 0 is withdrawn
)");
}

TEST(SlurmSite, a_job_that_slurm_no_longer_has_has_ended) {
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.slurm().end(tale.slurm().job("1"), "completed");
  tale.slurm().jobs().clear();
  tale.slurm().node("n0").free = {0, 1, 2, 3};
  tale.pass(6);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
5.2 job 0 was measured: 0 done at 1.5 drew 716.667 W
5.2 job 0 finishes
)");
}

TEST(SlurmSite, tasks_of_an_array_are_jobs_of_their_own) {
  SiteTranscript tale;
  tale.held({.number = 8, .array_job = 7, .array_task = 0, .gpus = 1});
  tale.held({.number = 9, .array_job = 7, .array_task = 3, .gpus = 1});
  tale.pass(1);
  tale.act(Start{tale.id("7_3"), gpus(0, 1)});
  tale.pass(3);
  EXPECT_TRUE(tale.slurm().job("7_3").runs());
  EXPECT_TRUE(tale.slurm().job("7_0").held);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
0.1 job 1 is submitted
1.0 -> update 7_3 {"gpus_per_node":1,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
)");
}

TEST(SlurmSite, a_job_of_another_partition_is_left_alone_and_its_gpus_are_taken) {
  SiteTranscript tale;
  tale.slurm().add_job({.partition = "other", .gpus = 3, .length = 5s});
  tale.pass(7);
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 1u);
  tale.pass(6);  // it has ended, and Slurm still shows it
  EXPECT_TRUE(tale.slurm().job("1").is_over());
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 4u);
  EXPECT_EQ(tale.text, R"(
5.2 job 0 is submitted
5.2 job 0 was started on 0+3
10.3 job 0 finishes
)");
}

TEST(SlurmSite, a_job_that_is_not_for_us_is_released_until_slurm_shows_it) {
  SiteTranscript tale;
  tale.held({.gpus = 99});
  bool loses = true;
  tale.world.wire.fate = [&](const nlohmann::json& request) {
    const bool lost = loses && request.contains("hold");
    loses = loses && !lost;
    return FakeSlurm::Fate{.lost = lost, .done = !lost};
  };
  tale.pass(16);
  EXPECT_FALSE(tale.slurm().job("1").held);
  EXPECT_EQ(tale.text, R"(
0.1 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
0.2 = 1 lost: the bridge ended before it answered
11.5 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
11.6 = 2 confirmed
)");
}

TEST(SlurmSite, a_drained_node_gets_no_new_jobs_and_fails_when_it_is_empty) {
  SiteTranscript tale;
  tale.held({.gpus = 2, .length = 20s});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.slurm().set_node("n0", "mixed", {"drain"});
  tale.pass(9);
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 0u);
  tale.pass(15);
  tale.slurm().set_node("n0", "idle", {});
  tale.pass(11);
  EXPECT_EQ(tale.site().mirror().free_on(NodeId{0}), 4u);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.gpus = 4});
  tale.pass(1);
  tale.slurm().starts = false;
  tale.act(Start{tale.id("1"), gpus(0, 4)});
  FakeJob& other = tale.slurm().add_job({.partition = "other", .gpus = 2});
  ASSERT_TRUE(tale.slurm().start(other, {"n0"}));
  tale.pass(6);
  EXPECT_TRUE(tale.slurm().job("1").held);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.held({.gpus = 4});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(4, 2)});
  tale.pass(3);
  tale.world.restart();
  tale.say("restart");
  tale.pass(2);
  EXPECT_TRUE(tale.site().has_looked());
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.comment = "penstock: profile=resnet gpus=1-4", .gpus = 1});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(3);
  EXPECT_EQ(tale.site().find("1")->seen.gpus, 2u);
  EXPECT_EQ(tale.site().find("1")->asked, 1u);
  tale.world.restart();
  const Time submitted = kNoon - 1h;  // a requeue makes it a new one for Slurm
  tale.site().history().remember_asked("1", {.gpus = 1, .submitted = submitted});
  tale.pass(2);
  EXPECT_EQ(tale.site().find("1")->asked, 1u);
  EXPECT_EQ(tale.site().find("1")->seen.submitted, submitted);
}

TEST(SlurmSite, a_job_that_runs_as_asked_keeps_its_shape_and_is_slurms_if_it_gets_none) {
  SiteTranscript tale;
  tale.held({.gpus = 2, .gpus_per_node = 2});
  tale.pass(1);
  EXPECT_FALSE(tale.site().why_not_shaped(tale.id("1"), gpus(0, 2)));
  EXPECT_EQ(tale.site().why_not_shaped(tale.id("1"), {{GpuId{3}, 1}, {GpuId{4}, 1}}),
            "its user asked for 2 GPUs on each of 1 nodes");
  tale.site().hand_over(tale.id("1"), "it found no place", tale.slurm().now());
  tale.pass(7);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"admin_comment":"penstock: left","hold":false,"nodes":[]}
1.0 job 0 is withdrawn
1.1 = 1 confirmed
5.2 job 1 is submitted
5.2 job 1 was started on 0+2
)");  // not for us: its GPUs are taken
}

TEST(SlurmSite, tells_jobs_of_one_second_in_the_order_of_their_numbers) {
  SiteTranscript tale;
  for (int i = 0; i < 11; ++i) tale.held({.gpus = 1});
  tale.pass(1);
  EXPECT_LT(tale.id("2"), tale.id("9"));
  EXPECT_LT(tale.id("9"), tale.id("10"));
  EXPECT_TRUE(RefOrder()("9_2", "9_10"));
  EXPECT_TRUE(RefOrder()("9_10", "10_1"));
}

TEST(SlurmSite, only_a_range_of_gpus_frees_a_job_from_its_shape) {
  SiteTranscript tale;
  tale.held({.comment = "penstock: checkpoint=yes", .gpus = 2, .gpus_per_node = 2});
  tale.held({.comment = "penstock: profile=resnet gpus=1-4", .gpus = 2, .gpus_per_node = 2});
  tale.pass(1);
  const Placement across{{GpuId{3}, 1}, {GpuId{4}, 1}};
  EXPECT_TRUE(tale.site().why_not_shaped(tale.id("1"), across));
  EXPECT_FALSE(tale.site().why_not_shaped(tale.id("2"), across));
}

TEST(SlurmSite, a_job_whose_dependency_can_never_be_is_slurms) {
  SiteTranscript tale;
  FakeJob& job = tale.held({.dependency = "afterok:9(failed)", .gpus = 1});
  tale.slurm().starts = false;
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 1)});
  job.reason = "dependency_never";
  tale.pass(12);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.slurm().add_job({.held = true, .gpus = 2});  // by its owner
  tale.pass(1);
  tale.world.permissions = {};
  tale.site().release_all({"nobody steers", tale.slurm().now()});
  tale.pass(6);
  EXPECT_TRUE(tale.slurm().job("1").runs());
  EXPECT_TRUE(tale.slurm().job("2").held);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"admin_comment":"penstock: released","hold":false,"nodes":[]}
1.1 = 1 confirmed
5.2 job 0 was started on 0+2
)");
}

TEST(SlurmSite, a_start_whose_answer_is_lost_is_asked_for_again) {
  SiteTranscript tale;
  tale.held({.gpus = 2});
  tale.pass(1);
  bool loses = true;
  tale.world.wire.fate = [&](const nlohmann::json& request) {
    const bool lost = loses && request.contains("hold");
    loses = loses && !lost;
    return FakeSlurm::Fate{.lost = lost, .done = !lost};
  };
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(5);
  EXPECT_TRUE(tale.site().find("1")->confirmed);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
1.0 = 1 lost: the bridge ended before it answered
4.0 -> update 1 {"gpus_per_node":2,"hold":false,"node_count":1,"nodes":["n0"]}
4.5 = 2 confirmed: it runs
)");
}

TEST(SlurmSite, a_job_that_was_just_stopped_settles_before_it_starts_again) {
  SiteTranscript tale;
  tale.slurm().completing = 1s;
  tale.held({.gpus = 2});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 2)});
  tale.pass(2);
  tale.slurm().send_back(tale.slurm().job("1"), false);
  tale.world.wire.hint(tale.slurm().job("1"));
  tale.pass(0.3);
  tale.act(Start{tale.id("1"), gpus(4, 2)});
  tale.pass(4);
  EXPECT_TRUE(tale.slurm().job("1").holds.contains("n1"));
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale;
  tale.held({.gpus = 1, .length = 8s});
  tale.held({.dependency = "afterok:1(unfulfilled)", .gpus = 1});
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 1)});
  tale.pass(20);
  EXPECT_EQ(tale.text, R"(
0.1 job 0 is submitted
1.0 -> update 1 {"gpus_per_node":1,"hold":false,"node_count":1,"nodes":["n0"]}
1.7 = 1 confirmed: it runs
10.3 job 0 was measured: 0 done at 1.5 drew 381.183 W
10.3 job 0 finishes
10.3 job 1 is submitted
)");
}

TEST(SlurmSite, a_job_is_not_told_before_its_time) {
  SiteTranscript tale;
  tale.held({.begins = kNoon + 12s, .gpus = 1});
  tale.pass(11);
  EXPECT_EQ(tale.text, "\n");
  tale.pass(6);
  EXPECT_EQ(tale.text, "\n15.4 job 0 is submitted\n");
}

TEST(SlurmSite, a_start_that_slurm_makes_wait_for_another_job_is_undone_at_once) {
  SiteTranscript tale;
  FakeJob& job = tale.held({.dependency = "singleton(unfulfilled)", .gpus = 1});
  tale.slurm().starts = false;
  tale.pass(1);
  tale.act(Start{tale.id("1"), gpus(0, 1)});
  job.reason = "dependency";
  tale.pass(2);
  EXPECT_EQ(tale.text, R"(
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
  SiteTranscript tale(2, [](SiteOptions& options) { options.users = {"bob"}; });
  tale.held({.user = "ann"});
  tale.held({.user = "bob", .partition = "other"});
  tale.pass(2);
  std::vector<std::string> said;
  for (const JournalEntry& note : tale.world.notes)
    if (note.what == "left to Slurm")
      said.push_back(nlohmann::json::parse(note.detail)["text"].get<std::string>());
  EXPECT_EQ(said, (std::vector<std::string>{
                      "left to Slurm: its user 'ann' is not one of fence.users",
                      "left to Slurm: its partition 'other' is not governed; governed are: main"}));
}

}  // namespace
}  // namespace penstock
