#include "serve/control/daemon_observer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/live_world.h"
#include "live/no_chores.h"

namespace penstock {
namespace {

class NoJournal final : public JournalWriter {
 public:
  Result<Done> write(std::span<JournalEntry> /*entries*/, std::span<JournalRequest> /*requests*/,
                     std::span<const JournalAnswer> /*answers*/) override {
    return Done{};
  }
};

/// Two jobs, and nobody to start them.
class DaemonObserverTest : public testing::Test {
 protected:
  DaemonObserverTest() {
    for (std::uint32_t i = 0; i < 2; ++i) {
      state.admit({.id = {i}, .gpus = 1, .name = "east/" + std::to_string(41 + i)});
      state.apply(JobSubmitted{{i}}, kNoon);
    }
  }
  nlohmann::json last_line() {
    return nlohmann::json::parse(feed.wait_after(0, Duration(1)).events.back().json);
  }

  Cluster cluster = small_cluster(2);
  LiveBeliefs beliefs{{}, cluster, false};
  NoJournal journal_writer;
  SystemClock clock;
  NoChores chores;
  SlurmBackend backend{{}, {cluster, beliefs, journal_writer, clock, chores}};
  EventFeed feed;
  DaemonObserver watcher{backend, feed, {.policy = "fifo", .mode = Mode::live}};
  State state{cluster, {}, kNoon};
};

TEST_F(DaemonObserverTest, tells_those_who_follow_why_this_job_and_keeps_why_others_wait) {
  watcher.decided(kNoon,
                  {.actions = {Start{JobId{0}, {{GpuId{0}, 1}}, {}}},
                   .because = {{JobId{0}, "passes job #1"}, {JobId{1}, "waits: 0 free"}}},
                  state);
  EXPECT_EQ(last_line()["reason"], "fifo: passes job east/42");
  EXPECT_EQ(watcher.waits().find(JobId{0}), nullptr);
  ASSERT_NE(watcher.waits().find(JobId{1}), nullptr);
  EXPECT_EQ(watcher.waits().find(JobId{1})->text, "waits: 0 free");
}

}  // namespace

namespace {

TEST(LastMessages, the_same_is_not_said_again) {
  LastMessages reason;
  EXPECT_TRUE(reason.is_new(JobId{1}, "no"));
  EXPECT_FALSE(reason.is_new(JobId{1}, "no"));
  EXPECT_TRUE(reason.is_new(JobId{2}, "no"));
  EXPECT_TRUE(reason.is_new(JobId{1}, "not yet"));
}

TEST(LastMessages, jobs_that_were_withdrawn_before_any_start_were_kept_for_ever) {
  LastMessages reason;
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(reason.is_new(JobId{i}, "no"));
  Batch batch;
  for (std::uint32_t i = 0; i < 9; ++i) batch.events.emplace_back(JobWithdrawn{JobId{i}});
  reason.update(batch);
  EXPECT_EQ(reason.jobs(), 1u);
  reason.forget(JobId{9});
  EXPECT_EQ(reason.jobs(), 0u);
}

}  // namespace

}  // namespace penstock
