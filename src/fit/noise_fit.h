#pragma once

#include <span>

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

struct NoiseFit {
  NoiseModel model{};  ///< its base is the smallest batch; no scale if no loss is visible
  double error = 0;    ///< mean of |fitted / measured - 1|, of samples needed
  double loss = 0;     ///< which part of its samples the largest batch wastes
};

/// The gradient noise scale that explains best how many more samples larger batches need.
/// At least two batches, by rising size.
NoiseFit fit_noise(std::span<const NoiseObservation> observations);

}  // namespace penstock
