#pragma once

#include <span>
#include <vector>

#include "model/observation.h"
#include "model/profile.h"

namespace penstock {

/// The same piece of computing at several clocks, or under several power limits.
using ClockSeries = std::vector<ClockObservation>;
using LimitSeries = std::vector<LimitObservation>;

/// What is believed of a GPU before anything was measured.
struct PowerPrior {
  Watts idle{};         ///< p0 is not less
  Watts peak{};         ///< what the GPU may draw at most
  double delta = 0.15;  ///< decides where no clock was written down
  double sync = 0.25;   ///< communicating draws this part of what computing adds to p0
};

/// How a GPU slows down and what it draws, by its clock.
struct PowerFit {
  double delta = 0;
  PowerModel power{};
  double time_error = 0;    ///< mean of |fitted / measured - 1|
  double draw_error = 0;    ///< the same
  double energy_error = 0;  ///< the same, of energy per work
};

/// δ and the draw that fit all series together. Each may take its own time.
PowerFit fit_power(std::span<const ClockSeries> series, const PowerPrior& prior);

/// The same without knowing the clocks: they are found with the rest. Limits that do
/// not bind share the highest clock.
PowerFit fit_power(std::span<const LimitSeries> series, const PowerPrior& prior);

/// What a job was seen to draw, all its GPUs together.
struct DrawObservation {
  Config config{};
  Watts draw{};
};

/// The most likely power model after these observations, if `prior` was believed as
/// firmly as `prior_weight` observations would make it believed. `speed` says which part
/// of the time the job computed.
PowerModel refit_power(const PowerModel& prior, double prior_weight, const SpeedModel& speed,
                       std::span<const DrawObservation> observations);

/// How much slower computing is at a clock than at the highest: δ + (1 - δ) / φ.
double slowdown(double delta, double clock);
/// The clock at which computing is so much slower; 1 where none is.
double clock_for(double delta, double slowdown);
/// What one GPU draws while it computes.
Watts computing_draw(const PowerModel& power, double clock);
/// The clock in [lowest, 1], in steps of 1/1000, at which a piece of work takes the least energy.
double best_clock(double delta, const PowerModel& power, double lowest);

}  // namespace penstock
