#pragma once

#include <optional>
#include <span>

#include "model/cluster.h"
#include "model/costs.h"
#include "model/models.h"
#include "model/site_signals.h"
#include "model/trace.h"

namespace penstock {

/// What bounds are about: all that a simulated run is made of, but for the policy.
struct BoundedWorld {
  const Cluster& cluster;
  std::span<const SiteSignals> signals;  ///< indexed by SiteId
  Costs costs{};
  bool failures = false;
  OverRequest over_request = OverRequest::kill;
  const Models* models = nullptr;  ///< how jobs really scale; nothing if all are rigid
  double carbon_price = 0;         ///< money per gram of CO2
  Time start{};                    ///< first submission
};

struct BoundSettings {
  Duration window = std::chrono::hours(1);  ///< in which prices are taken to be at their least
  std::size_t most_windows = 480;           ///< longer ones instead of more
  std::size_t most_columns = 30'000;        ///< of the linear program
};

/// What no run can beat in which every job ends. Absent if nothing is known: there are no jobs,
/// or money could be earned for ever.
struct Bounds {
  std::optional<Duration> jct_mean{};
  std::optional<Duration> makespan{};
  std::optional<Joules> energy{};     ///< cooling included
  std::optional<Money> total_cost{};  ///< energy, carbon and tardiness
};

/// What the GPUs need at least for the work of all jobs, each in its thriftiest way; cooling, idle
/// GPUs and the nodes around them not counted.
Joules least_job_energy(const BoundedWorld& world, JobSource& jobs);

/// Lower bounds by relaxation; docs/bounds.md says which, and why they hold.
Bounds lower_bounds(const BoundedWorld& world, JobSource& jobs, const BoundSettings& settings = {});

}  // namespace penstock
