#include "fit/speed_fit.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace penstock {
namespace {

constexpr SpeedModel kTrueSpeed{.alpha_c = 0.02,
                                .beta_c = 0.002,
                                .alpha_r = 0.03,
                                .beta_r = 0.002,
                                .alpha_n = 0.06,
                                .beta_n = 0.0004,
                                .gamma = 1.8};

/// What a machine with nodes of eight GPUs would measure; `noise` is the relative error.
std::vector<SpeedObservation> measured(const SpeedModel& truth, double noise,
                                       std::uint32_t gpus_most = 64) {
  Rng rng(7);
  std::vector<SpeedObservation> seen;
  for (const double batch : {64.0, 128.0, 256.0, 512.0})
    for (std::uint32_t gpus = 1; gpus <= gpus_most; gpus *= 2) {
      const Config config{gpus, (gpus + 7) / 8, batch, 1};
      seen.push_back({config, iteration_time(truth, config).total * (1 + rng.normal(0, noise))});
    }
  return seen;
}

double worst_error(const SpeedModel& fitted, const SpeedModel& truth) {
  double worst = 0;
  for (const double error : speed_errors(fitted, measured(truth, 0)))
    worst = std::max(worst, std::abs(error));
  return worst;
}

double mean_error(const SpeedModel& fitted, const SpeedModel& truth) {
  const std::vector<double> errors = speed_errors(fitted, measured(truth, 0));
  double sum = 0;
  for (const double error : errors) sum += std::abs(error);
  return sum / static_cast<double>(errors.size());
}

TEST(SpeedFit, finds_the_model_that_made_the_times) {
  const SpeedFit fit = fit_speed(measured(kTrueSpeed, 0));
  EXPECT_LT(fit.error, 0.01);
  EXPECT_NEAR(fit.model.beta_c, kTrueSpeed.beta_c, 0.05 * kTrueSpeed.beta_c);
  EXPECT_NEAR(fit.model.alpha_n, kTrueSpeed.alpha_n, 0.1 * kTrueSpeed.alpha_n);
  EXPECT_NEAR(fit.model.gamma, kTrueSpeed.gamma, 0.3);
  EXPECT_TRUE(fit.inside_node);
  EXPECT_TRUE(fit.between_nodes);
}

TEST(SpeedFit, sees_through_noise) {
  EXPECT_LT(worst_error(fit_speed(measured(kTrueSpeed, 0.03)).model, kTrueSpeed), 0.06);
}

TEST(SpeedFit, is_not_misled_by_a_few_wild_points) {
  auto seen = measured(kTrueSpeed, 0.01);
  seen[3].seconds *= 5;
  seen[17].seconds /= 4;
  EXPECT_LT(mean_error(fit_speed(seen).model, kTrueSpeed), 0.05);
}

TEST(SpeedFit, finds_no_overlap_where_there_is_none) {
  SpeedModel truth = kTrueSpeed;
  truth.gamma = 1;
  EXPECT_LT(worst_error(fit_speed(measured(truth, 0)).model, truth), 0.02);
}

TEST(SpeedFit, lets_other_nodes_be_a_tenth_slower_where_only_one_was_measured) {
  const SpeedFit fit = fit_speed(measured(kTrueSpeed, 0, 8));
  EXPECT_FALSE(fit.between_nodes);
  EXPECT_DOUBLE_EQ(fit.model.alpha_n, 1.1 * fit.model.alpha_r);
  EXPECT_DOUBLE_EQ(fit.model.beta_n, 1.1 * fit.model.beta_r);
}

TEST(SpeedFit, lets_one_node_be_a_tenth_quicker_where_only_several_were_measured) {
  auto seen = measured(kTrueSpeed, 0);
  std::erase_if(seen, [](const auto& o) { return o.config.gpus > 1 && o.config.nodes == 1; });
  const SpeedFit fit = fit_speed(seen);
  EXPECT_FALSE(fit.inside_node);
  EXPECT_DOUBLE_EQ(fit.model.alpha_r, fit.model.alpha_n / 1.1);
}

TEST(SpeedFit, takes_delta_from_the_prior_where_all_clocks_are_the_same) {
  EXPECT_EQ(fit_speed(measured(kTrueSpeed, 0), {.delta = 0.3}).model.delta, 0.3);
}

TEST(SpeedFit, finds_delta_where_clocks_differ) {
  SpeedModel truth = kTrueSpeed;
  truth.delta = 0.4;
  auto seen = measured(truth, 0);
  for (SpeedObservation& o : seen) {
    o.config.clock = o.config.batch == 128 ? 0.6 : 1.0;
    o.seconds = iteration_time(truth, o.config).total;
  }
  EXPECT_NEAR(fit_speed(seen).model.delta, 0.4, 0.05);
}

TEST(SpeedFit, is_content_with_one_point) {
  const std::vector<SpeedObservation> one{{{1, 1, 32, 1}, 0.25}};
  EXPECT_LT(fit_speed(one).error, 0.01);
}

TEST(SpeedFit, gives_the_same_bits_twice) {
  const auto seen = measured(kTrueSpeed, 0.02);
  EXPECT_EQ(fit_speed(seen).model, fit_speed(seen).model);
}

}  // namespace

namespace {

TEST(NoiseFit, finds_the_scale_that_made_the_samples) {
  // With a scale of 1000, a batch of 1100 needs 2100/1100 of the samples that 100 needs.
  const std::vector<NoiseObservation> seen{{100, 1100}, {1100, 2100}, {2100, 3100}};
  const NoiseFit fit = fit_noise(seen);
  EXPECT_EQ(fit.model.base, 100);
  EXPECT_NEAR(*fit.model.scale, 1000, 1);
  EXPECT_NEAR(fit.loss, 1 - 1100.0 / 3100, 1e-12);
  EXPECT_LT(fit.error, 1e-6);
}

TEST(NoiseFit, has_no_scale_where_no_loss_is_seen) {
  const std::vector<NoiseObservation> seen{{100, 5000}, {200, 4990}, {400, 5010}};
  EXPECT_FALSE(fit_noise(seen).model.scale);
}

}  // namespace

}  // namespace penstock
