#pragma once

#include <string>

#include "policies/geo/mpc_choice.h"

namespace penstock {

/// What names and hours stand for.
struct MpcScene {
  const Cluster& cluster;
  Time now{};
  Time begin{};  ///< hour 0
};

/// Why a job goes where it goes, or waits, for people.
std::string mpc_words(const MpcChoice& choice, std::span<const MpcDemand> demands,
                      const MpcPrices& prices, const MpcScene& scene);

}  // namespace penstock
