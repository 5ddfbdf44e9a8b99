#include "live/fence.h"

#include <gtest/gtest.h>

#include "live/live_world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Time at(int hour, int minute) {
  return kNoon - 12h + std::chrono::hours(hour) + std::chrono::minutes(minute);
}

TEST(Fence, hours_may_go_over_midnight) {
  const std::vector<DayHours> night{{20 * 60, 6 * 60}};
  EXPECT_FALSE(is_within(night, at(19, 59)));
  EXPECT_TRUE(is_within(night, at(20, 0)));
  EXPECT_TRUE(is_within(night, at(0, 0)));
  EXPECT_TRUE(is_within(night, at(5, 59)));
  EXPECT_FALSE(is_within(night, at(6, 0)));
  EXPECT_TRUE(is_within({}, at(3, 0)));
  EXPECT_TRUE(is_within({{60, 120}, {300, 360}}, at(5, 30)));
  EXPECT_TRUE(is_within({{0, 24 * 60}}, at(23, 59)));
}

struct FixedClock final : LiveClock {
  Time now() override { return time; }
  Time time = kNoon;
};
struct NoHousekeeping final : Housekeeping {
  bool tick(Time /*now*/) override { return false; }
  void journal_failed(const std::string& /*why*/) override {}
  void journal_works() override {}
};
struct NoJournal final : JournalWriter {
  Result<Done> write(std::span<JournalEntry> /*entries*/, std::span<JournalRequest> /*requests*/,
                     std::span<const JournalAnswer> /*answers*/) override {
    return Done{};
  }
};

/// A backend without sites: nodes can be sent to sleep, which needs none.
class FenceTest : public testing::Test {
 protected:
  LiveFence fence(const FenceOptions& options) {
    return {options, cluster_, backend_, clock_, [this](SiteId) { return why_not_; }};
  }
  Cluster cluster_ = small_cluster(2);
  LiveBeliefs beliefs_{{}, cluster_, false};
  NoJournal journal_;
  FixedClock clock_;
  NoHousekeeping housekeeping_;
  SlurmBackend backend_{{}, {cluster_, beliefs_, journal_, clock_, housekeeping_}};
  State state_{cluster_, {}, kNoon};
  std::optional<std::string> why_not_;
};

TEST_F(FenceTest, does_nothing_in_shadow_mode) {
  EXPECT_EQ(fence({}).refuses(Sleep{}, state_), "in shadow mode nothing is done");
}

TEST_F(FenceTest, says_why_nothing_may_be_done) {
  why_not_ = "it is paused";
  EXPECT_EQ(fence({.mode = Mode::live}).refuses(Sleep{}, state_), "it is paused");
}

TEST_F(FenceTest, lets_so_many_actions_pass_in_any_minute) {
  LiveFence fence = this->fence({.mode = Mode::fenced, .actions_per_minute = 2});
  EXPECT_FALSE(fence.refuses(Sleep{}, state_));
  clock_.time += 30s;
  EXPECT_FALSE(fence.refuses(Sleep{}, state_));
  EXPECT_EQ(fence.refuses(Sleep{}, state_),
            "2 actions were done within a minute, and no more may be");
  clock_.time += 30s;  // the first is a minute ago
  EXPECT_FALSE(fence.refuses(Sleep{}, state_));
  EXPECT_TRUE(fence.refuses(Sleep{}, state_));
}

TEST_F(FenceTest, counts_only_in_fenced_mode) {
  LiveFence fence = this->fence({.mode = Mode::live, .actions_per_minute = 1});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(fence.refuses(Sleep{}, state_));
}

TEST_F(FenceTest, refuses_what_a_cluster_cannot_do) {
  LiveFence fence = this->fence({.mode = Mode::live});
  EXPECT_TRUE(fence.refuses(Route{}, state_));
  EXPECT_TRUE(fence.refuses(SetBatch{}, state_));
  EXPECT_EQ(fence.refuses(Preempt{JobId{7}}, state_), "it is not a job of ours");
}

}  // namespace
}  // namespace penstock
