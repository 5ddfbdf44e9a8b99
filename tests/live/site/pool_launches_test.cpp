#include "live/site/pool_launches.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class PoolLaunchesTest : public SiteParts {
 protected:
  /// Job 7 of the pool is submitted to start on two GPUs; returns the command.
  QueuedCommand launch() {
    PooledJob& job = pool.add({.number = 7, .submission = {.script = "#!/bin/sh"}});
    pool.set_id(job, numbers.next());
    launches.launch(job, Start{*job.id, {{GpuId{0}, 2}}}, {"why", kNoon});
    return commands.take().at(0);
  }
  SlurmJob shown(std::int64_t number, const std::string& comment) const {
    return {.number = number, .ref = std::to_string(number), .comment = comment};
  }
  /// Slurm answers polls.
  void poll() {
    poller.ask_when_due(kNoon);
    connection.answer(2, {{"ok", true}, {"jobs", nlohmann::json::array()}});
    (void)poller.next(kNoon, false);
  }
};

TEST_F(PoolLaunchesTest, takes_the_gpus_and_says_where_the_job_is) {
  const QueuedCommand command = launch();
  EXPECT_EQ(command.record.verb, "submit");
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 2u);
  EXPECT_EQ(pool.find(7)->at, "here");
}

TEST_F(PoolLaunchesTest, a_job_that_slurm_refuses_waits_for_a_site_again) {
  const QueuedCommand command = launch();
  command.then(refusal("denied", "no account"));
  EXPECT_EQ(reported(), "interrupted0 ");
  EXPECT_FALSE(pool.find(7)->at);
  EXPECT_EQ(state.mirror.free_on(NodeId{0}), 4u);
  EXPECT_EQ(noted(), "not taken; ");
}

TEST_F(PoolLaunchesTest, is_found_by_slurms_number_or_by_its_mark_until_that_is_known) {
  const QueuedCommand command = launch();
  EXPECT_NE(launches.find(shown(12, pool_mark(7))), nullptr);
  command.then({{"ok", true}, {"job", 12}});
  EXPECT_NE(launches.find(shown(12, "")), nullptr);
  EXPECT_EQ(launches.find(shown(13, pool_mark(7))), nullptr) << "it is number 12";
}

TEST_F(PoolLaunchesTest, who_was_taken_is_never_given_back) {
  const QueuedCommand command = launch();
  poll();
  command.then({{"ok", true}, {"job", 12}});
  EXPECT_TRUE(launches.check_overdue(kNoon).empty());
  EXPECT_EQ(launches.check_overdue(kNoon + 10min), std::vector<std::int64_t>{12});
  EXPECT_EQ(reported(), "");
}

TEST_F(PoolLaunchesTest, of_whom_nothing_is_heard_is_given_back_once_slurm_answers) {
  const QueuedCommand command = launch();
  command.then(nullptr);
  EXPECT_TRUE(launches.check_overdue(kNoon + 10min).empty());
  EXPECT_EQ(reported(), "") << "Slurm does not answer: it may show it later";
  poll();
  EXPECT_TRUE(launches.check_overdue(kNoon + 10min).empty());
  EXPECT_EQ(reported(), "interrupted0 ");
}

}  // namespace
}  // namespace penstock
