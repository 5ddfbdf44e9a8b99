#pragma once

#include <vector>

#include "policies/geo/mpc_room.h"

namespace penstock {

/// Jobs that are much alike, taken together.
struct MpcGroup {
  std::vector<MpcDemand> demands{};  ///< of all of them, by possible site; times are their mean
  double first = 0;                  ///< hour from which they may leave
  double jobs = 0;
};

/// Adds a job to a group, which may be new.
void add_to(MpcGroup& group, std::span<const MpcDemand> demands);

/// What an hour of a GPU is worth at each site in each step, where there are too few for all who
/// would have them: the duals of a linear program over groups, sites and starts, with at most about
/// `most_columns` columns.
std::vector<MpcRate> scarcity(std::span<const MpcGroup> groups, const MpcTariff& tariff,
                              const MpcRoom& room, std::size_t most_columns);

}  // namespace penstock
