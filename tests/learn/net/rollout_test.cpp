#include "learn/net/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

TEST(Windows, keep_windows_of_any_size_apart) {
  Windows windows(2, 1);
  const std::vector<float> items{1, 2, 3, 4};
  const std::vector<float> early{7};
  const std::vector<float> late{8};
  const std::vector<std::uint8_t> barred{0, 1};
  windows.add({.items = items, .globals = early, .barred = barred});
  windows.add({.globals = late});  // no items
  windows.add({.items = std::span(items).first(2), .globals = late});
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows.count(), 3u);
  EXPECT_EQ(windows.count(1), 0u);
  EXPECT_TRUE(std::ranges::equal(windows[0].items, items));
  EXPECT_TRUE(std::ranges::equal(windows[0].barred, barred));
  EXPECT_EQ(windows[2].globals[0], 8);
  EXPECT_EQ(windows[2].barred[0], 0);
  std::vector<int> by_item{10, 11, 12};
  EXPECT_EQ(windows.of(2, std::span(by_item))[0], 12);
  windows.clear();
  EXPECT_EQ(windows.size(), 0u);
}

const std::vector<float> kTwoItems{1, 2};

void step(Rollout& rollout, std::uint32_t track, double value, double reward) {
  rollout.add(track, {.items = kTwoItems}, {.action = 1, .value = value});
  rollout.reward(track, reward);
}

TEST(Rollout, adds_up_rewards_until_the_episode_ends) {
  Rollout rollout(1, 0, 1);
  step(rollout, 0, 0, 1);
  step(rollout, 0, 0, 2);
  rollout.end(0);
  step(rollout, 0, 0, 4);
  const Advantages all = rollout.advantages(1, 1);
  EXPECT_EQ(all.returns, (std::vector<double>{3, 2, 4}));
}

TEST(Rollout, weighs_surprises_by_gamma_and_lambda) {
  Rollout rollout(1, 0, 1);
  step(rollout, 0, 10, 1);  // surprise: 1 + 0.5 * 20 - 10 = 1
  step(rollout, 0, 20, 4);  // surprise: 4 - 20 = -16
  rollout.end(0);
  const Advantages all = rollout.advantages(0.5, 0.5);
  EXPECT_EQ(all.advantages, (std::vector<double>{1 - 0.25 * 16, -16}));
  EXPECT_EQ(all.returns, (std::vector<double>{7, 4}));
}

TEST(Rollout, keeps_worlds_side_by_side_apart) {
  Rollout rollout(1, 0, 2);
  step(rollout, 0, 0, 1);
  step(rollout, 1, 0, 10);
  step(rollout, 0, 0, 2);
  step(rollout, 1, 0, 20);
  EXPECT_EQ(rollout.advantages(1, 1).returns, (std::vector<double>{3, 30, 2, 20}));
}

TEST(Rollout, expects_what_follows_where_it_was_cut) {
  Rollout rollout(1, 0, 1);
  step(rollout, 0, 0, 1);
  rollout.cut(0, 8);
  EXPECT_EQ(rollout.advantages(0.5, 1).returns, (std::vector<double>{5}));
}

TEST(Rollout, takes_in_another_recording) {
  Rollout rollout(1, 0, 1);
  step(rollout, 0, 0, 1);
  Rollout other(1, 0, 1);
  step(other, 0, 0, 5);
  rollout.append(other);
  rollout.reward(1, 2);  // the other's track
  EXPECT_EQ(rollout.advantages(1, 1).returns, (std::vector<double>{1, 7}));
  EXPECT_EQ(rollout.windows().size(), 2u);
  rollout.clear();
  EXPECT_EQ(rollout.size(), 0u);
}

}  // namespace

}  // namespace penstock
