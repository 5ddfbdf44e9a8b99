#include "serve/api/api_commands.h"

#include "serve/two_sites.h"

namespace penstock {
namespace {

using nlohmann::json;

class ApiCommandsTest : public TwoSites {
 protected:
  ApiResponse run(const ApiCommand& command) {
    return ask([&] { return commands.run(command); });
  }
  std::string error_of(const ApiResponse& response) {
    const json body = parsed(response);
    return body.contains("error") ? body["error"].get<std::string>() : "";
  }

  static constexpr const char* kJob = R"({"script":"#!/bin/sh","work_dir":"/tmp","gpus":1})";

  SchedulerCalls calls{backend, std::chrono::seconds(20)};
  ApiCommands commands{needs, calls};
};

TEST_F(ApiCommandsTest, a_verb_that_nobody_knows_is_refused) {
  EXPECT_EQ(commands.run({.verb = "destroy"}).status, 404);
}

TEST_F(ApiCommandsTest, bad_bodies_are_refused_before_the_scheduler_is_asked) {
  for (const char* verb : {"submit", "progress", "pause"})
    EXPECT_EQ(commands.run({.verb = verb, .id = "east/1", .body = "[]"}).status, 400) << verb;
}

TEST_F(ApiCommandsTest, a_plan_is_made_of_the_body_as_it_came) {
  EXPECT_EQ(commands.run({.verb = "plan", .body = "{\"jobs\":1}"}).body, "{\"jobs\":1}");
}

TEST_F(ApiCommandsTest, a_pause_holds_until_somebody_resumes) {
  EXPECT_EQ(run({.verb = "pause", .body = R"({"reason":"lunch"})"}).body, R"({"paused":true})");
  EXPECT_EQ(control.paused(), "lunch");
  EXPECT_EQ(run({.verb = "resume"}).body, R"({"paused":false})");
  EXPECT_EQ(control.paused(), std::nullopt);
  EXPECT_EQ(run({.verb = "pause"}).status, 200);
  EXPECT_EQ(control.paused(), "somebody asked for it");
}

TEST_F(ApiCommandsTest, a_job_is_cancelled_by_its_cluster) {
  show(0, {waiting(7)});
  const ApiResponse done = run({.verb = "cancel", .id = "7"});
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.body, R"({"id":"7","cancelled":true})");
  bridges.say("east", "cancel", R"("ok":false,"error":{"code":"refused","text":"not yours"})");
  const ApiResponse refused = run({.verb = "cancel", .id = "east/7"});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(error_of(refused), "Slurm said: not yours");
  bridges.say("east", "cancel", R"("ok":false,"error":{"code":"no_such_job","text":"gone"})");
  EXPECT_EQ(run({.verb = "cancel", .id = "east/7"}).status, 404);
  bridges.say("east", "cancel", R"("ok":false,"error":{"code":"unreachable","text":"no way"})");
  const ApiResponse unsure = run({.verb = "cancel", .id = "east/7"});
  EXPECT_EQ(unsure.status, 504);
  EXPECT_EQ(error_of(unsure), "Slurm said: no way; it may have been done");
}

TEST_F(ApiCommandsTest, a_job_that_is_not_there_cannot_be_cancelled) {
  look_at_clusters();
  EXPECT_EQ(error_of(run({.verb = "cancel", .id = "east/7"})),
            "there is no job 'east/7' that has not ended");
  EXPECT_EQ(run({.verb = "cancel", .id = "pool/7"}).status, 404);
  EXPECT_EQ(run({.verb = "cancel", .id = "north/7"}).status, 404);
}

TEST_F(ApiCommandsTest, a_job_that_may_go_anywhere_waits_in_the_pool_and_can_be_taken_back) {
  look_at_clusters();
  const ApiResponse taken = run({.verb = "submit", .body = kJob});
  EXPECT_EQ(taken.body, R"({"id":"pool/1"})");
  ASSERT_NE(backend.pool().find(1), nullptr);
  EXPECT_EQ(journalled("pooled").size(), 1u) << "it outlives the daemon";
  EXPECT_EQ(run({.verb = "cancel", .id = "pool/1"}).body, R"({"id":"pool/1","cancelled":true})");
  EXPECT_EQ(backend.pool().find(1), nullptr);
  EXPECT_EQ(journalled("unpooled").size(), 1u);
}

TEST_F(ApiCommandsTest, a_job_that_no_site_could_ever_run_is_not_taken) {
  look_at_clusters();
  const ApiResponse refused =
      run({.verb = "submit", .body = R"({"script":"#!/bin/sh","work_dir":"/tmp","gpus":9})"});
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(error_of(refused).starts_with("no site can take it: ")) << refused.body;
  EXPECT_EQ(backend.pool().find(1), nullptr);
}

TEST_F(ApiCommandsTest, a_job_for_a_site_is_submitted_there) {
  look_at_clusters();
  bridges.say("west", "submit", R"("ok":true,"job":12)");
  const ApiResponse done =
      run({.verb = "submit",
           .body = R"({"script":"#!/bin/sh","work_dir":"/tmp","gpus":1,"site":"west"})"});
  EXPECT_EQ(done.body, R"({"id":"west/12"})");
  const ApiResponse nowhere =
      run({.verb = "submit",
           .body = R"({"script":"#!/bin/sh","work_dir":"/tmp","gpus":1,"site":"north"})"});
  EXPECT_EQ(nowhere.status, 400);
  EXPECT_EQ(error_of(nowhere), "there is no site 'north'");
}

TEST_F(ApiCommandsTest, progress_is_taken_of_jobs_that_are_there) {
  show(0, {running(7)});
  EXPECT_EQ(run({.verb = "progress", .id = "east/7", .body = R"({"done":512})"}).status, 200);
  const ApiResponse unknown = run({.verb = "progress", .id = "east/8", .body = R"({"done":1})"});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(error_of(unknown), "there is no job 'east/8'");
}

TEST_F(ApiCommandsTest, an_agent_says_which_site_it_is_of_if_two_have_its_node) {
  look_at_clusters();
  const std::string report = R"({"gpus":[]})";
  const ApiResponse unclear = run({.verb = "agent", .id = "n1", .body = report});
  EXPECT_EQ(unclear.status, 400);
  EXPECT_EQ(error_of(unclear),
            "several sites have a node 'n1'; possible: say which is meant, penstock agent --site");
  const ApiResponse clear =
      run({.verb = "agent", .id = "n1", .body = R"({"gpus":[],"site":"west"})"});
  EXPECT_EQ(clear.body, R"({"valid_s":30,"gpus":[]})");
  EXPECT_TRUE(backend.agents(1).is_alive("n1", clock.now()));
  EXPECT_FALSE(backend.agents(0).is_alive("n1", clock.now()));
  EXPECT_EQ(run({.verb = "agent", .id = "n9", .body = report}).status, 404);
  EXPECT_EQ(run({.verb = "agent", .id = "n1", .body = "nonsense"}).status, 400);
}

TEST_F(ApiCommandsTest, nothing_is_begun_once_the_daemon_stops) {
  calls.close();
  EXPECT_EQ(commands.run({.verb = "pause"}).status, 503);
  EXPECT_EQ(control.paused(), std::nullopt);
}

}  // namespace
}  // namespace penstock
