#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "io/traces/rows.h"

namespace penstock {

/// One stay of a job on the machines.
struct EndedRun {
  Time started{};
  Time ended{};
  std::uint32_t gpus = 1;
  std::vector<std::string> nodes{};
  std::string type{};           ///< of its GPUs
  std::uint32_t clock_mhz = 0;  ///< 0: as the GPUs are by themselves
  std::optional<double> batch{};
  std::optional<double> done{};   ///< of its work, when this run ended
  std::optional<Duration> lag{};  ///< from the time it could have started until it did
};

/// All that the journal says of a job once it has ended: the detail of an entry "ended".
struct EndedJob {
  std::string ref{};  ///< the backend's name for it
  std::string name{};
  std::string user{};
  std::string account{};
  std::string partition{};
  std::string comment{};
  std::string state{};  ///< "completed"
  Time submitted{};
  std::uint32_t gpus = 1;  ///< asked for
  std::string gpu_type{};  ///< asked for; empty for any
  std::optional<Duration> time_limit{};
  std::string kind{};  ///< of the catalogue; empty if unknown
  std::optional<double> work{};
  std::optional<double> batch{};
  std::optional<Time> deadline{};
  std::optional<double> priority{};
  std::optional<double> tardiness_per_s{};  ///< what being late costs
  std::optional<std::uint32_t> least{};     ///< bounds of an elastic job
  std::optional<std::uint32_t> most{};
  bool pinned = false;  ///< it has no checkpoints
  std::vector<EndedRun> runs{};
  double energy_j = 0;
  double cost = 0;
  double carbon_g = 0;
  std::optional<double> predicted_cost{};
};

/// Implausible values become the row's fault, with the field's name; a job without GPUs, or with a
/// run whose end nobody saw, is left out. It was submitted no later than it first ran.
EndedJob read_ended(std::string_view detail, Row& row);

}  // namespace penstock
