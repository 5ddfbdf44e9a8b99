#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fit/power_fit.h"
#include "fit/speed_fit.h"
#include "model/measurements.h"

namespace penstock {

/// How well a model predicts what it was not fitted to: the mean of |predicted / measured - 1| over
/// all points that were left out; for speeds, of throughput.
struct SpeedHeldOut {
  double by_gpus = -1;   ///< each number of GPUs left out in turn; negative if there is one only
  double by_batch = -1;  ///< each batch size left out in turn
  double both = -1;      ///< of all these points together
  SpeedObservation worst{};
  double worst_error = 0;  ///< predicted / measured - 1
};
SpeedHeldOut hold_out(const SpeedTable& table, const SpeedPrior& prior = {});

struct PowerHeldOut {
  double draw = -1;
  double energy = -1;
};
/// Each fifth of the clocks left out in turn, the lowest and the highest among them.
PowerHeldOut hold_out(std::span<const ClockSeries> series, const PowerPrior& prior);
/// Each limit left out in turn.
PowerHeldOut hold_out(const LimitSeries& series, const PowerPrior& prior);

}  // namespace penstock
