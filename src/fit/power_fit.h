#pragma once

#include <span>
#include <vector>

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// The clock at which computing is so much slower; 1 where it is not slower.
double clock_for(double delta, double slowdown);
/// The highest clock at which a GPU draws no more than this while it computes.
double clock_within(const PowerModel& power, Watts limit);

/// One piece of computing at several clocks, or under several power limits.
using ClockSeries = std::vector<ClockObservation>;
using LimitSeries = std::vector<LimitObservation>;

/// What is believed of a GPU before anything was measured.
struct PowerPrior {
  Watts idle{};         ///< p0 is not less
  Watts peak{};         ///< what the GPU may draw at most
  double delta = 0.15;  ///< used where no clock was recorded
  double fixed = 0.3;   ///< p0 as a part of the draw, likewise
  double sync = 0.25;   ///< communicating draws this part of what computing adds to p0
};

/// How a GPU slows down and what it draws, by its clock. Errors are means of
/// |fitted / measured - 1|; energy is that of the same piece of work.
struct PowerFit {
  double delta = 0;
  PowerModel power{};
  std::vector<double> seconds{};  ///< of each series, at the highest clock
  double draw_error = 0;
  double energy_error = 0;
};

/// δ and the draw that fit all series together. Each may take its own time.
PowerFit fit_power(std::span<const ClockSeries> series, const PowerPrior& prior);

/// δ and the draw without knowing the clocks: they are found with the rest. Limits that do
/// not bind share the highest clock.
PowerFit fit_power(std::span<const LimitSeries> series, const PowerPrior& prior);

/// fitted / measured - 1.
struct PowerError {
  double draw = 0;
  double energy = 0;
};

/// Errors at a known clock.
PowerError power_error(const PowerFit& fit, double seconds, const ClockObservation& seen);
/// Errors without one: the draw of a GPU that is as slow as measured, and the energy at the
/// clock whose time and draw are nearest to what was measured.
PowerError power_error(const PowerFit& fit, double seconds, const LimitObservation& seen);

/// The series by the clocks that the GPU could hold: from the lowest clock on at which it
/// drew 97 % of its most, it is taken to have run at the highest one that it holds.
ClockSeries held_clocks(ClockSeries series);

}  // namespace penstock
