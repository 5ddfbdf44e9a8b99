#include "fit/refit.h"

#include <gtest/gtest.h>

#include <cmath>

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
constexpr PowerModel kPriorPower{Watts(120), Watts(0), Watts(240), Watts(60)};

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
  EXPECT_EQ(refit_power(kPriorPower, 1, kBelief, {}), kPriorPower);
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

TEST(Refit, knows_that_a_batch_computed_in_parts_takes_the_fixed_time_in_each) {
  SpeedModel truth = kBelief;
  truth.alpha_c *= 4;
  truth.gamma = 1;
  std::vector<SpeedObservation> seen;
  for (const double parts : {1, 2, 8})
    for (const std::uint32_t gpus : {1u, 8u}) {
      const Config config{.gpus = gpus, .batch = 512, .parts = parts};
      seen.push_back({config, iteration_time(truth, config).total});
    }
  const SpeedModel fitted = refit_speed(kBelief, 1e-4, seen);
  EXPECT_NEAR(fitted.alpha_c / truth.alpha_c, 1, 0.01);
  EXPECT_NEAR(fitted.beta_c / truth.beta_c, 1, 0.01);
}

TEST(Refit, learns_what_a_job_draws) {
  const PowerModel truth{Watts(100), Watts(0), Watts(300), Watts(40)};
  std::vector<DrawObservation> seen;
  Profile profile{.speed = kBelief, .power = truth, .batch = {.local_most = 256}};
  for (const std::uint32_t gpus : {1u, 2u, 8u, 16u})
    for (const double clock : {0.5, 0.75, 1.0}) {
      const Config config{gpus, (gpus + 7) / 8, 256, clock};
      seen.push_back({config, draw(profile, config)});
    }
  profile.power = refit_power(kPriorPower, 0.01, kBelief, seen);
  for (const auto& [config, watts] : seen)
    EXPECT_NEAR(draw(profile, config) / watts, 1, 0.02) << config.gpus << " " << config.clock;
}

}  // namespace

namespace {

/// 16 s for an epoch on each of 1, 2 and 4 GPUs, and 100 W a GPU.
Profile prior() {
  Profile table = table_profile("lstm", "tesla", {{1, 16.0}, {2, 16.0}, {4, 16.0}});
  table.power.p0 = Watts(100);
  return table;
}

TableObservation on(std::uint32_t gpus, double seconds, std::uint32_t count = 1) {
  return {gpus, std::log(seconds), std::log(100.0 * gpus), count};
}

constexpr TableTrust kEven{.doubt = 0.2, .error = 0.2};

TEST(RefitTable, without_observations_is_the_prior) {
  EXPECT_EQ(refit_table(prior(), {}, kEven).epoch_seconds, prior().epoch_seconds);
}

TEST(RefitTable, an_entry_is_the_mean_of_prior_and_measurements_by_their_precision) {
  // As much doubt as error: half the way in logarithms, from 16 to 64 by 32.
  const std::vector once{on(1, 64)};
  EXPECT_NEAR(refit_table(prior(), once, kEven).epoch_seconds[0], 32, 1e-9);
  // Three measurements weigh three times the prior.
  const std::vector thrice{on(1, 256, 3)};
  EXPECT_NEAR(refit_table(prior(), thrice, kEven).epoch_seconds[0], 128, 1e-9);
}

TEST(RefitTable, entries_never_seen_move_by_a_part_of_the_mean_shift) {
  const std::vector one{on(1, 64)};  // moves by a factor of 2, so others by its root
  EXPECT_NEAR(refit_table(prior(), one, kEven).epoch_seconds[1], 16 * std::sqrt(2), 1e-9);
  const std::vector two{on(1, 64), on(2, 64)};  // two thirds of it
  EXPECT_NEAR(refit_table(prior(), two, kEven).epoch_seconds[3], 16 * std::pow(2, 2 / 3.0), 1e-9);
}

TEST(RefitTable, entries_never_seen_stay_if_the_others_contradict_each_other) {
  const std::vector both{on(1, 64), on(2, 4)};
  EXPECT_NEAR(refit_table(prior(), both, kEven).epoch_seconds[3], 16, 1e-9);
}

TEST(RefitTable, what_cannot_run_still_cannot) {
  const std::vector one{on(1, 64)};
  EXPECT_EQ(refit_table(prior(), one, kEven).epoch_seconds[2], 0);
}

TEST(RefitTable, the_draw_moves_as_a_whole) {
  TableObservation seen = on(4, 16);
  seen.log_draw = std::log(1600.0);
  EXPECT_NEAR(refit_table(prior(), std::vector{seen}, kEven).power.p0.value(), 200, 1e-9);
}

}  // namespace

}  // namespace penstock
