#pragma once

#include <span>

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// What a running job was seen to draw, all its GPUs together.
struct DrawObservation {
  Config config{};
  Watts draw{};
};

/// The most likely model after these observations, if `prior` was believed as firmly as
/// `prior_weight` observations would make it believed. Quick: for use while jobs run.
SpeedModel refit_speed(const SpeedModel& prior, double prior_weight,
                       std::span<const SpeedObservation> observations);

/// The same for the draw; `speed` says which part of the time a job computes.
PowerModel refit_power(const PowerModel& prior, double prior_weight, const SpeedModel& speed,
                       std::span<const DrawObservation> observations);

}  // namespace penstock
