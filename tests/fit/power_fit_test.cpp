#include "fit/power_fit.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace penstock {
namespace {

constexpr double kDelta = 0.2;
constexpr PowerModel kTruePower{Watts(120), Watts(30), Watts(200), Watts(0)};
constexpr PowerPrior kPrior{.idle = Watts(40), .peak = Watts(400)};

ClockSeries swept(double seconds, double noise) {
  Rng rng(3);
  ClockSeries series;
  for (int i = 20; i >= 8; --i) {
    const double clock = i / 20.0;
    const double error = 1 + rng.normal(0, noise);
    series.push_back({clock, seconds * clock_slowdown(kDelta, clock) * error,
                      computing_draw(kTruePower, clock) * (2 - error)});
  }
  return series;
}

TEST(PowerCurve, halves_and_doubles_as_by_hand) {
  EXPECT_DOUBLE_EQ(clock_slowdown(0.5, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(clock_for(0.5, 1.5), 0.5);
  EXPECT_EQ(clock_for(0.5, 0.99), 1);
  EXPECT_EQ(computing_draw({Watts(100), Watts(40), Watts(80)}, 0.5), Watts(130));
  EXPECT_NEAR(clock_within({Watts(100), Watts(40), Watts(80)}, Watts(130)), 0.5, 1e-9);
  EXPECT_EQ(clock_within({Watts(100), Watts(40), Watts(80)}, Watts(500)), 1);
}

/// The clock at which a piece of work takes the least energy.
double least_energy_clock(double delta, const PowerModel& power) {
  const auto energy = [&](double clock) {
    return computing_draw(power, clock) * clock_slowdown(delta, clock);
  };
  double best = 1;
  for (int i = 1000; i >= 300; --i)
    if (energy(i / 1000.0) < energy(best)) best = i / 1000.0;
  return best;
}

TEST(PowerCurve, energy_is_least_between_the_ends) {
  // p0 + p3·φ³ and 1/φ: the least energy is where φ³ = p0 / (2·p3).
  EXPECT_NEAR(least_energy_clock(0, {Watts(100), Watts(0), Watts(400)}), 0.5, 0.001);
  EXPECT_EQ(least_energy_clock(0, {Watts(400), Watts(0), Watts(1)}), 1);
}

TEST(PowerFit, finds_the_curve_that_made_the_sweep) {
  const std::vector<ClockSeries> series{swept(0.1, 0), swept(0.3, 0)};
  const PowerFit fit = fit_power(series, kPrior);
  EXPECT_NEAR(fit.delta, kDelta, 0.01);
  EXPECT_NEAR(fit.seconds[1], 0.3, 0.003);
  EXPECT_LT(fit.draw_error, 0.005);
  EXPECT_LT(fit.energy_error, 0.005);
  EXPECT_NEAR(least_energy_clock(fit.delta, fit.power), least_energy_clock(kDelta, kTruePower),
              0.02);
}

TEST(PowerFit, sees_through_noise_and_one_wild_point) {
  auto noisy = swept(0.1, 0.02);
  noisy[5].draw = noisy[5].draw * 3;
  const PowerFit fit = fit_power(std::vector<ClockSeries>{noisy}, kPrior);
  for (const double clock : {0.5, 0.7, 1.0})
    EXPECT_NEAR(computing_draw(fit.power, clock) / computing_draw(kTruePower, clock), 1, 0.06);
}

TEST(PowerFit, needs_no_clocks_where_limits_were_set) {
  LimitSeries series;
  for (const double limit : {150.0, 175.0, 200.0, 250.0, 300.0, 350.0, 400.0}) {
    const double clock = clock_within(kTruePower, Watts(limit));
    series.push_back(
        {Watts(limit), 2 * clock_slowdown(kDelta, clock), computing_draw(kTruePower, clock)});
  }
  const PowerFit fit = fit_power(std::vector<LimitSeries>{series}, kPrior);
  EXPECT_NEAR(fit.seconds[0], 2, 0.04);
  EXPECT_LT(fit.draw_error, 0.03);
  EXPECT_LT(fit.energy_error, 0.02);
}

TEST(PowerFit, draws_never_less_than_idle) {
  ClockSeries quiet = swept(0.1, 0);
  for (ClockObservation& seen : quiet) seen.draw = Watts(30);
  EXPECT_GE(fit_power(std::vector<ClockSeries>{quiet}, kPrior).power.p0, kPrior.idle);
}

TEST(HeldClocks, counts_clocks_at_the_power_limit_as_the_highest_one_held) {
  const ClockSeries held = held_clocks(
      {{1.0, 1, Watts(300)}, {0.9, 1, Watts(299)}, {0.8, 1, Watts(298)}, {0.4, 2, Watts(150)}});
  EXPECT_EQ(held[0].clock, 1);
  EXPECT_EQ(held[2].clock, 1);
  EXPECT_DOUBLE_EQ(held[3].clock, 0.5);
}

}  // namespace

}  // namespace penstock
