#pragma once

#include <optional>
#include <span>

#include "model/cluster.h"
#include "model/costs.h"
#include "model/models.h"
#include "model/site_signals.h"
#include "model/trace.h"

namespace penstock {

/// The input of bounds: all that a simulated run depends on, but the policy.
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
  std::optional<Duration> longest{};        ///< only of runs that take no longer
  bool preempts = true;                     ///< also of runs that stop jobs and start them again
};

/// The weights of the terms in a sum that is bounded.
struct ObjectiveWeights {
  double joule = 0;      ///< drawn by sites, cooling included, and by the network
  double money = 0;      ///< for the energy of sites, and rent
  double gram = 0;       ///< of CO2, transfers included
  double tardiness = 0;  ///< money for seconds after deadlines
  double late = 0;       ///< for each job that ends after its deadline
  double transfer = 0;   ///< money for sending files, and for the energy of it
  double use = 0;        ///< taken off for utilisation: all GPUs busy, for as long as the run lasts
};

/// Lower bounds for every run in which all jobs end. Absent if there is none: there are no jobs, or
/// the cost is unbounded below.
struct Bounds {
  std::optional<Duration> jct_mean{};
  std::optional<Duration> makespan{};
  std::optional<Joules> energy{};     ///< cooling included
  std::optional<Money> total_cost{};  ///< energy, carbon, tardiness and transfers
  std::optional<GramsCo2> carbon{};
};

/// What the GPUs need at least for the work of all jobs, each in its thriftiest way; cooling, idle
/// GPUs and the nodes around them not counted.
Joules least_job_energy(const BoundedWorld& world, JobSource& jobs);

/// Lower bounds by relaxation; docs/bounds.md says which, and why they hold.
Bounds lower_bounds(const BoundedWorld& world, JobSource& jobs, const BoundSettings& settings = {});

/// The least possible weighted sum, if every job ends. Nothing if there are no jobs, or it is
/// unbounded below.
std::optional<double> least_sum(const BoundedWorld& world, JobSource& jobs,
                                const ObjectiveWeights& weights,
                                const BoundSettings& settings = {});

/// The references of the utility: cost and carbon of a run with all jobs at home.
struct HomeRun {
  Money cost{};  ///< energy and rent
  GramsCo2 carbon{};
};

/// The weights of the utility's terms, for least_sum() over so many jobs: a run's utility is no
/// more than its least sum below 0.
ObjectiveWeights utility_objective(const UtilityWeights& weights, const HomeRun& home, double jobs);

}  // namespace penstock
