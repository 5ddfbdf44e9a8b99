#pragma once

#include "base/units.h"
#include "model/profile.h"

namespace penstock {

/// How long one iteration took.
struct SpeedObservation {
  Config config{};
  double seconds = 0;
};

/// One GPU at a known clock: how long the same piece of computing took, and what it drew.
struct ClockObservation {
  double clock = 1;  ///< relative to the highest
  double seconds = 0;
  Watts draw{};
};

/// One GPU under a power limit, at a clock that nobody wrote down.
struct LimitObservation {
  Watts limit{};
  double seconds = 0;
  Watts draw{};
};

/// How many samples a training with this batch needs to get as far as the others.
struct NoiseObservation {
  double batch = 1;
  double samples = 0;
};

}  // namespace penstock
