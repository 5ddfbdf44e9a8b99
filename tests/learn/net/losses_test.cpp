#include "learn/net/losses.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "base/rng.h"
#include "learn/net/finite_differences.h"

namespace penstock {
namespace {

const double kLog2 = std::log(2.0);

Categorical chances(const std::vector<double>& logits,
                    const std::vector<std::uint8_t>& barred = {}) {
  Categorical all;
  EXPECT_TRUE(all.set(std::span<const double>(logits), barred));
  return all;
}

TEST(Categorical, is_the_softmax_of_its_logits) {
  const Categorical all = chances({kLog2 + 1000, 1000, 1000});
  EXPECT_NEAR(all.probability(0), 0.5, 1e-12);
  EXPECT_NEAR(all.probability(2), 0.25, 1e-12);
  EXPECT_NEAR(all.log_probability(2), -2 * kLog2, 1e-12);
  EXPECT_NEAR(all.entropy(), 1.5 * kLog2, 1e-12);
}

TEST(Categorical, gives_a_barred_item_no_chance_at_all) {
  const Categorical all = chances({1e6, 0, 0}, {1, 0, 0});
  EXPECT_EQ(all.probability(0), 0);
  EXPECT_EQ(all.log_probability(0), -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(all.entropy(), kLog2, 1e-12);
  EXPECT_EQ(all.best(), 1u);
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) EXPECT_NE(all.at(rng.uniform()), 0u);
  EXPECT_EQ(chances({0, 0, 0}, {0, 0, 1}).at(std::nextafter(1.0, 0.0)), 1u);
}

TEST(Categorical, does_not_care_what_the_logit_of_a_barred_item_is) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(chances({nothing, 0}, {1, 0}).probability(1), 1);
}

TEST(Categorical, refuses_logits_that_are_not_numbers) {
  Categorical all;
  const std::array<float, 2> logits{0, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(all.set(std::span<const float>(logits)));
}

TEST(Categorical, chooses_as_often_as_it_says) {
  const Categorical all = chances({0, kLog2, 0});
  Rng rng(2);
  std::array<int, 3> times{};
  for (int i = 0; i < 10000; ++i) ++times[all.at(rng.uniform())];
  EXPECT_NEAR(times[1], 5000, 150);
  EXPECT_NEAR(times[0], 2500, 150);
}

TEST(Categorical, takes_the_first_of_equals_as_best) {
  EXPECT_EQ(chances({1, 3, 3}).best(), 1u);
}

TEST(Categorical, diverges_from_another_but_not_from_itself) {
  const Categorical even = chances({0, 0});
  const Categorical odd = chances({std::log(3.0), 0});
  EXPECT_EQ(even.divergence(even), 0);
  EXPECT_NEAR(even.divergence(odd), 0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25), 1e-12);
}

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
