#include "serve/control/wait_reasons.h"

#include <gtest/gtest.h>

#include "live/live_world.h"

namespace penstock {
namespace {

/// Two jobs that wait.
class WaitReasonsTest : public testing::Test {
 protected:
  WaitReasonsTest() : cluster(small_cluster(2)), state(cluster, {}, kNoon) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      state.admit({.id = {i}, .gpus = 1, .name = "east/" + std::to_string(41 + i)});
      state.apply(JobSubmitted{{i}}, kNoon);
    }
  }
  std::string reason(std::uint32_t job) const {
    const WaitReasons::Reason* found = waits.find(JobId{job});
    return found == nullptr ? "" : found->text;
  }

  Cluster cluster;
  State state;
  WaitReasons waits;
  const Start start{JobId{0}, {{GpuId{0}, 1}}, {}};
};

TEST_F(WaitReasonsTest, each_action_has_its_own_in_words_of_the_backend) {
  const Decision decision{
      .actions = {start, Sleep{NodeId{1}}},
      .reason = "all is well",
      .because = {
          {JobId{0}, "passes job #1"}, {JobId{1}, "waits for job #0"}, {JobId{0}, "at 900 MHz"}}};
  const Reasons reasons = reasons_of(decision, "fifo", state);
  EXPECT_EQ(reasons.of(start), "fifo: passes job east/42; at 900 MHz");
  EXPECT_EQ(reasons.of(Sleep{NodeId{1}}), "fifo: all is well");
  EXPECT_EQ(reasons.of(Preempt{JobId{1}}), "fifo: all is well");  // it was not decided
}

TEST_F(WaitReasonsTest, a_silent_policy_is_named) {
  EXPECT_EQ(reasons_of({.actions = {start}}, "fifo", state).of(start), "fifo");
}

TEST_F(WaitReasonsTest, of_who_waits_the_last_word_is_kept_until_it_starts) {
  waits.update(kNoon, {.because = {{JobId{0}, "waits: 0 free"}, {JobId{1}, "behind job #0"}}},
               state);
  EXPECT_EQ(reason(0), "waits: 0 free");
  EXPECT_EQ(reason(1), "behind job east/41");
  waits.update(kNoon, {.actions = {start}, .because = {{JobId{0}, "first"}, {JobId{1}, "next"}}},
               state);
  EXPECT_EQ(reason(0), "");
  EXPECT_EQ(reason(1), "next");
  waits.update(kNoon, {}, state);
  EXPECT_EQ(reason(1), "next");
  waits.update({.events = {JobWithdrawn{JobId{1}}}});
  EXPECT_EQ(reason(1), "");
}

TEST(WaitReasons, tell_what_a_start_was_refused_for) {
  WaitReasons waits;
  waits.refuse(Time{}, JobId{3}, "it is paused: fans broken");
  ASSERT_NE(waits.find(JobId{3}), nullptr);
  EXPECT_EQ(waits.find(JobId{3})->text, "could start, but it is paused: fans broken");
}

}  // namespace
}  // namespace penstock
