#include "learn/net/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "learn/net/finite_differences.h"

namespace penstock {
namespace {

const std::vector<std::uint8_t> kBarred{0, 1, 0, 0};

/// Of a loss of logits that writes its own slopes.
void expect_right(const std::function<double(const Categorical&, std::span<double>)>& loss,
                  std::vector<double> logits) {
  std::vector<double> slopes(logits.size());
  const auto at_logits = [&](std::span<double> to) {
    Categorical now;
    EXPECT_TRUE(now.set(std::span<const double>(logits), kBarred));
    return loss(now, to);
  };
  at_logits(slopes);
  std::vector<double> unused(logits.size());
  expect_slopes([&] { return at_logits(unused); }, logits, slopes);
  EXPECT_EQ(slopes[1], 0);
}

TEST(Losses, of_policies_have_the_slopes_that_differences_say) {
  for (const double advantage : {-1.5, 0.5, 2.0})
    for (const double before : {-0.3, -1.5, -4.0})  // far above, near, far below
      expect_right(
          [&](const Categorical& now, std::span<double> slopes) {
            return policy_loss(now, {2, before, advantage}, {.clip = 0.2, .entropy = 0.1}, 1,
                               slopes)
                .loss;
          },
          {0.3, 9, -0.2, 0.1});
}

TEST(Losses, of_cloning_have_the_slopes_that_differences_say) {
  expect_right([](const Categorical& now,
                  std::span<double> slopes) { return cloning_loss(now, 3, 1, slopes); },
               {0.3, 9, -0.2, 0.1});
}

TEST(Losses, of_policies_pull_no_further_than_the_clip) {
  Categorical now;
  const std::vector<double> logits{std::log(0.9), std::log(0.1)};
  ASSERT_TRUE(now.set(std::span<const double>(logits)));
  std::vector<double> slopes(2);
  const PolicyTerms up = policy_loss(now, {0, std::log(0.5), 1}, {}, 1, std::span(slopes));
  EXPECT_EQ(up.clipped, 1);
  EXPECT_EQ(slopes[0], 0);
  EXPECT_NEAR(up.loss, -1.2, 1e-12);
  EXPECT_NEAR(up.divergence, 0.8 - std::log(1.8), 1e-12);
  const PolicyTerms down = policy_loss(now, {0, std::log(0.5), -1}, {}, 1, std::span(slopes));
  EXPECT_EQ(down.clipped, 0);  // what turned out badly may always be taken back
  EXPECT_GT(slopes[0], 0);
}

TEST(Losses, of_values_are_squares_near_and_lengths_far) {
  EXPECT_EQ(value_loss(ValueLoss::squared, 3, 1).loss, 2);
  EXPECT_EQ(value_loss(ValueLoss::squared, 3, 1).slope, 2);
  EXPECT_EQ(value_loss(ValueLoss::huber, 1.5, 1).loss, 0.125);
  EXPECT_EQ(value_loss(ValueLoss::huber, -2, 1).loss, 2.5);
  EXPECT_EQ(value_loss(ValueLoss::huber, -2, 1).slope, -1);
}

}  // namespace
}  // namespace penstock
