#pragma once

#include "model/profile.h"

namespace penstock {

/// How much slower computing is at a clock than at the highest: δ + (1 - δ) / φ.
double slowdown(double delta, double clock);
/// The clock at which computing is so much slower; 1 where it is not slower.
double clock_for(double delta, double slowdown);
/// What one GPU draws while it computes.
Watts computing_draw(const PowerModel& power, double clock);
/// The highest clock at which a GPU draws no more than this while it computes.
double clock_within(const PowerModel& power, Watts limit);
/// The clock in [lowest, 1], in steps of 1/1000, at which a piece of work takes the least
/// energy.
double best_clock(double delta, const PowerModel& power, double lowest);

}  // namespace penstock
