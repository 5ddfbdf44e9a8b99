#pragma once

#include <cstdint>
#include <span>

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// What a running job was seen to draw, all its GPUs together.
struct DrawObservation {
  Config config{};
  Watts draw{};
};

/// The most likely model after these observations, where `prior` counts as much as `prior_weight`
/// observations. Fast enough for use while jobs run.
SpeedModel refit_speed(const SpeedModel& prior, double prior_weight,
                       std::span<const SpeedObservation> observations);

/// The most likely model of the draw after these observations, as refit_speed() weighs its prior;
/// `speed` says which part of the time a job computes.
PowerModel refit_power(const PowerModel& prior, double prior_weight, const SpeedModel& speed,
                       std::span<const DrawObservation> observations);

/// The mean of what was measured on so many GPUs, in logarithms.
struct TableObservation {
  std::uint32_t gpus = 1;
  double log_seconds = 0;  ///< of an epoch
  double log_draw = 0;     ///< of all its GPUs, in watts
  std::uint32_t count = 1;
};

/// The uncertainty of prior and measurements, as standard deviations of a logarithm.
struct TableTrust {
  double doubt = 0.3;  ///< of an entry of the prior
  double error = 0;    ///< of one measurement; never taken for less than 0.01
};

/// The most likely table after these observations of some of its entries. An observed entry is
/// the mean of prior and measurements, each weighed by its precision. Half of the doubt
/// is taken to be shared by all entries, so the m observed ones move the others by m / (m + 1)
/// of what they moved themselves on average. The draw moves as a whole.
Profile refit_table(const Profile& prior, std::span<const TableObservation> observations,
                    const TableTrust& trust);

}  // namespace penstock
