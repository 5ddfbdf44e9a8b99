#pragma once

#include "policies/geo/mpc_room.h"

namespace penstock {

/// What a job is placed by. Hours are from the first step on.
struct MpcPrices {
  const MpcTariff& tariff;
  const MpcRoom& room;
  std::span<const MpcRate> worth;    ///< of a GPU's hours, by site
  std::span<const double> free_now;  ///< GPUs, by site
  double now = 0;
  double horizon = 0;  ///< steps after which no start is planned
  double crowd = 0;    ///< part of all GPUs that is asked for, 1 at most
};

/// Where a job is to run, and from when on.
struct MpcChoice {
  std::optional<MpcDemand> demand{};  ///< nothing: GPUs are short everywhere, or no site is up
  double start = 0;
  double departs = 0;  ///< or when it is thought over again
  bool eager = false;  ///< it would go at once if there were GPUs
  bool now = false;
  double cost = 0;  ///< in the tariff's unit
  bool goes_now() const { return demand && now; }
};

/// The least sum of energy, transfer and the worth of GPUs, of the starts in time for which there
/// are GPUs. A job without such a start is held until the last moment, and then goes where it costs
/// least, waiting counted. `demands` are by possible site.
MpcChoice choose(std::span<const MpcDemand> demands, const MpcPrices& prices);

}  // namespace penstock
