#include "fit/refit.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr SpeedModel kBelief{.alpha_c = 0.02,
                             .beta_c = 0.002,
                             .alpha_r = 0.03,
                             .beta_r = 0.002,
                             .alpha_n = 0.06,
                             .beta_n = 0.0004,
                             .gamma = 1,
                             .delta = 0.2};
constexpr PowerModel kPower{Watts(120), Watts(0), Watts(240), Watts(60)};

/// What is seen of a job that is slower than believed.
std::vector<SpeedObservation> seen_at(const SpeedModel& truth, std::size_t count) {
  std::vector<SpeedObservation> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t gpus = 1u << (i % 5);
    const Config config{gpus, (gpus + 7) / 8, 128, i % 2 ? 1.0 : 0.7};
    seen.push_back({config, iteration_time(truth, config).total});
  }
  return seen;
}

double error_at(const SpeedModel& model, const SpeedModel& truth, const Config& config) {
  return std::abs(iteration_time(model, config).total / iteration_time(truth, config).total - 1);
}

TEST(Refit, stays_with_the_belief_until_something_is_seen) {
  EXPECT_EQ(refit_speed(kBelief, 1, {}), kBelief);
  EXPECT_EQ(refit_power(kPower, 1, kBelief, {}), kPower);
}

TEST(Refit, stays_with_a_belief_that_is_right) {
  const SpeedModel same = refit_speed(kBelief, 1, seen_at(kBelief, 10));
  EXPECT_LT(error_at(same, kBelief, {8, 1, 256, 0.8}), 1e-6);
}

TEST(Refit, errs_less_with_every_few_observations) {
  SpeedModel truth = kBelief;
  truth.beta_c *= 1.5;
  truth.alpha_n *= 2;
  const Config elsewhere{16, 2, 512, 0.9};
  double error = error_at(kBelief, truth, elsewhere);
  for (const std::size_t count : {2u, 8u, 40u}) {
    const double now = error_at(refit_speed(kBelief, 0.1, seen_at(truth, count)), truth, elsewhere);
    EXPECT_LT(now, error) << count;
    error = now;
  }
  EXPECT_LT(error, 0.03);
}

TEST(Refit, holds_on_to_a_firm_belief) {
  SpeedModel truth = kBelief;
  truth.beta_c *= 2;
  const Config config{1, 1, 128, 1};
  const auto seen = seen_at(truth, 3);
  EXPECT_GT(error_at(refit_speed(kBelief, 1000, seen), truth, config),
            5 * error_at(refit_speed(kBelief, 0.01, seen), truth, config));
}

TEST(Refit, learns_what_a_job_draws) {
  const PowerModel truth{Watts(100), Watts(0), Watts(300), Watts(40)};
  std::vector<DrawObservation> seen;
  Profile profile{.speed = kBelief, .power = truth};
  for (const std::uint32_t gpus : {1u, 2u, 8u, 16u})
    for (const double clock : {0.5, 0.75, 1.0}) {
      const Config config{gpus, (gpus + 7) / 8, 256, clock};
      seen.push_back({config, draw(profile, config)});
    }
  profile.power = refit_power(kPower, 0.01, kBelief, seen);
  for (const auto& [config, watts] : seen)
    EXPECT_NEAR(draw(profile, config) / watts, 1, 0.02) << config.gpus << " " << config.clock;
}

}  // namespace
}  // namespace penstock
