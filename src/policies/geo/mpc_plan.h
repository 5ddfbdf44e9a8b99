#pragma once

#include <string>
#include <vector>

#include "policies/geo/mpc_outlook.h"

namespace penstock {

/// What the placement of a job is computed from. Hours count from the first step.
struct MpcPrices {
  const MpcTariff& tariff;
  const MpcRoom& room;
  std::span<const MpcRate> worth;    ///< of a GPU's hours, by site
  std::span<const double> free_now;  ///< GPUs, by site
  double now = 0;
  double horizon = 0;   ///< steps after which no start is planned
  double demanded = 0;  ///< part of all GPUs that is asked for, 1 at most
};

/// Where a job is to run, and from when on.
struct MpcChoice {
  std::optional<MpcDemand> demand{};  ///< nothing: GPUs are short everywhere, or no site is up
  double start = 0;
  double departs = 0;  ///< or when it is decided on again
  bool eager = false;  ///< it would leave at once if there were GPUs
  bool now = false;
  double cost = 0;  ///< in the tariff's unit
  bool goes_now() const { return demand && now; }
};

/// The least sum of energy, transfer and the worth of GPUs, of the starts in time for which there
/// are GPUs. A job without such a start is held until the last moment, and then goes where it costs
/// least, waiting counted. `demands` are by possible site.
MpcChoice choose(std::span<const MpcDemand> demands, const MpcPrices& prices);

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

/// What names and hours stand for.
struct MpcCalendar {
  const Cluster& cluster;
  Time now{};
  Time begin{};  ///< hour 0
};

/// Why a job goes where it goes, or waits, for people.
std::string mpc_reason(const MpcChoice& choice, std::span<const MpcDemand> demands,
                       const MpcPrices& prices, const MpcCalendar& calendar);

}  // namespace penstock
