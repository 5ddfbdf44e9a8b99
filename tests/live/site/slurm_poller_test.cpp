#include "live/site/slurm_poller.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using Reply = SlurmPoller::Reply;
using Lines = std::vector<std::string>;

const nlohmann::json kNoJobs{{"ok", true}, {"last_update", 100}, {"jobs", nlohmann::json::array()}};
const nlohmann::json kNoNodes{{"ok", true}, {"nodes", nlohmann::json::array()}};

class SlurmPollerTest : public testing::Test {
 protected:
  /// What was sent since this was last asked.
  Lines sent() { return std::exchange(connection.sent, {}); }
  ScriptedConnection connection;
  SlurmPoller poller{connection, 5s};
};

TEST_F(SlurmPollerTest, asks_for_nodes_then_jobs_and_not_again_before_they_are_due) {
  poller.ask_when_due(kNoon);
  EXPECT_EQ(connection.sent, (Lines{R"({"do":"nodes"})", R"({"do":"jobs","news":true})"}));
  connection.answer(2, kNoJobs);
  const auto reply = poller.next(kNoon, false);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->to, Reply::To::jobs);
  EXPECT_TRUE(poller.answers());
  EXPECT_FALSE(poller.saw_nodes());
  connection.sent.clear();
  poller.ask_when_due(kNoon + 4s);
  EXPECT_TRUE(connection.sent.empty());
  poller.ask_when_due(kNoon + 5s);
  EXPECT_EQ(connection.sent, (Lines{R"({"do":"jobs","news":true,"since":99})"}));
}

TEST_F(SlurmPollerTest, asks_soon_if_many_jobs_change) {
  poller.ask_when_due(kNoon);
  connection.answer(2, kNoJobs);
  ASSERT_TRUE(poller.next(kNoon, true));
  EXPECT_EQ(poller.next_due(kNoon), kNoon + 1s);
}

TEST_F(SlurmPollerTest, repeats_a_poll_that_was_lost_and_says_that_nobody_answers) {
  poller.ask_when_due(kNoon);
  connection.lose(1);
  connection.lose(2);
  EXPECT_FALSE(poller.next(kNoon, false));
  EXPECT_FALSE(poller.answers());
  EXPECT_EQ(poller.last_error(), "the bridge does not answer");
  EXPECT_EQ(poller.errors(), 2u);
  connection.sent.clear();
  poller.ask_when_due(kNoon + 1s);
  EXPECT_EQ(connection.sent.size(), 2u);
}

TEST_F(SlurmPollerTest, an_answer_without_a_list_does_not_mean_that_all_jobs_are_gone) {
  poller.ask_when_due(kNoon);
  connection.answer(2, {{"ok", true}});
  EXPECT_FALSE(poller.next(kNoon, false));
  EXPECT_FALSE(poller.saw_jobs());
}

TEST_F(SlurmPollerTest, asks_about_the_task_that_a_hint_names) {
  poller.ask_when_due(kNoon);
  connection.sent.clear();
  connection.hint({{"event", "ended"}, {"job", 12}, {"array_job", 10}, {"array_task", 3}});
  EXPECT_FALSE(poller.next(kNoon, false));
  poller.ask_when_due(kNoon);
  EXPECT_EQ(sent(), (Lines{R"({"do":"jobs","job":"10_3"})"}));
}

TEST_F(SlurmPollerTest, polls_all_jobs_when_one_is_not_there_any_more) {
  poller.ask_when_due(kNoon);
  connection.answer(2, kNoJobs);
  ASSERT_TRUE(poller.next(kNoon, false));
  poller.ask_about("7");
  poller.ask_when_due(kNoon);
  connection.answer(3, refusal("no_such_job"));
  EXPECT_FALSE(poller.next(kNoon, false));
  EXPECT_EQ(poller.errors(), 0u);
  connection.sent.clear();
  poller.ask_when_due(kNoon);
  EXPECT_EQ(connection.sent, (Lines{R"({"do":"jobs","news":true,"since":99})"}));
}

TEST_F(SlurmPollerTest, gives_back_the_command_that_is_answered_or_lost) {
  poller.send({.record = {.id = 5}, .command = bridge::CancelJob{"1"}, .ref = "1"});
  poller.send({.record = {.id = 6}, .command = bridge::CancelJob{"2"}, .ref = "2"});
  connection.answer(1, refusal("denied"));
  connection.lose(2);
  const auto refused = poller.next(kNoon, false);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->command.record.id, 5);
  EXPECT_FALSE(refused->body->is_null());
  const auto lost = poller.next(kNoon, false);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->command.ref, "2");
  EXPECT_TRUE(lost->body->is_null());
}

}  // namespace
}  // namespace penstock
