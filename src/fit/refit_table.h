#pragma once

#include <cstdint>
#include <span>

#include "model/profile.h"

namespace penstock {

/// The mean of what was measured on so many GPUs, in logarithms.
struct TableObservation {
  std::uint32_t gpus = 1;
  double log_seconds = 0;  ///< of an epoch
  double log_draw = 0;     ///< of all its GPUs, in watts
  std::uint32_t count = 1;
};

/// How far to go, as standard deviations of a logarithm.
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
