#pragma once

#include <span>
#include <vector>

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// What is believed before anything was measured.
struct SpeedPrior {
  double delta = 0;            ///< kept unless the observations have several clocks
  double between_nodes = 1.1;  ///< how much slower than inside a node, where only one was measured
};

struct SpeedFit {
  SpeedModel model{};
  double error = 0;            ///< mean of |fitted / measured - 1|, of iteration times
  bool inside_node = false;    ///< several GPUs of one node were measured
  bool between_nodes = false;  ///< several nodes were measured
};

/// The model whose log errors are least, outliers counting less. The search starts from
/// several degrees of overlap and keeps the best. What was never observed follows the
/// prior. Observations must be positive and at least one.
SpeedFit fit_speed(std::span<const SpeedObservation> observations, const SpeedPrior& prior = {});

/// fitted / measured - 1, of each iteration time.
std::vector<double> speed_errors(const SpeedModel& model,
                                 std::span<const SpeedObservation> observations);

struct NoiseFit {
  NoiseModel model{};  ///< its base is the smallest batch; no scale if no loss is visible
  double error = 0;    ///< mean of |fitted / measured - 1|, of samples needed
  double loss = 0;     ///< which part of its samples the largest batch wastes
};

/// The gradient noise scale that explains best how many more samples larger batches need.
/// At least two batches, by rising size.
NoiseFit fit_noise(std::span<const NoiseObservation> observations);

}  // namespace penstock
