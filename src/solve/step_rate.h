#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "solve/bounds.h"
#include "solve/least_use.h"

namespace penstock {

/// A rate per second that changes in steps; the last one holds for ever.
class StepRate {
 public:
  struct Step {
    double from = 0;  ///< seconds from the start of the run
    double rate = 0;
    double sum = 0;  ///< from 0 to `from`
  };

  /// Steps in order; the first is at 0.
  explicit StepRate(std::vector<Step> steps);

  std::span<const Step> steps() const { return steps_; }
  double at(double when) const;
  /// From 0 to `to`.
  double sum_until(double to) const;
  /// The least rate in [from, to).
  double least_rate(double from, double to) const;
  /// The least of sum_until() over [from, to], where `to` may be endless; −infinity if it falls
  /// for ever.
  double least_sum(double from, double to) const;

 private:
  std::size_t index_at(double when) const;
  std::vector<Step> steps_;
};

/// The cost of a joule drawn at a site over time, cooling included.
StepRate rate_of(const SiteSignals& site, const BoundedWorld& world,
                 const ObjectiveWeights& weights);

/// GPUs of one type at one site on nodes with the same tables, which are alike to all jobs.
struct GpuPool {
  std::uint32_t site = 0;
  std::uint32_t type = 0;
  double gpus = 0;
  bool own_draw = true;  ///< what a job draws is its own, not in a table
  /// Watts of its node that a GPU brings with it at least when held by a job, beyond the least
  /// that the node draws at any time: it is awake then. With a table, the job's own included.
  double node_watts = 0;
  double rent = 0;             ///< money a second, likewise
  double idle_watts = 0;       ///< what a GPU draws that is awake and that no job holds
  double least_watts = 0;      ///< and what it draws at least at any time
  double most_node_watts = 0;  ///< what a held GPU adds to an idle node at most, by a table

  /// What a GPU draws more at most when held for a use than while idle.
  double most_watts(const Use& use) const {
    return own_draw ? use.most_watts - idle_watts : most_node_watts;
  }
};

/// The least cost of a use on a pool beside that of the machines without jobs, if a joule costs
/// `rate`: machines draw least where it costs something, and are idle where it earns something.
template <class WayOrUse>
double cost_on(const GpuPool& pool, const WayOrUse& use, double rate,
               const ObjectiveWeights& weights) {
  const double per_gpu = rate >= 0       ? pool.node_watts
                         : pool.own_draw ? pool.least_watts - pool.idle_watts
                                         : pool.most_node_watts;
  const double joules = (pool.own_draw ? use.joules : 0) + use.gpu_seconds * per_gpu;
  // Less than idle is no loss for sure: a window has its least price only somewhere.
  const double counted = rate < 0 ? std::max(0.0, joules) : joules;
  return counted * rate + weights.money * use.gpu_seconds * pool.rent;
}

/// What machines may draw where a joule counts less than nothing: all they can, or what they draw
/// idle, and jobs count by themselves.
enum class MostDraw : bool { with_jobs, idle };

/// What the machines draw at least and at most whatever jobs do, by site, and their pools.
struct Machines {
  std::vector<double> least_watts{};
  std::vector<double> most_watts{};
  double least_rent = 0;  ///< money a second, of all sites
  std::vector<GpuPool> pools{};
};
Machines machines_of(const BoundedWorld& world, const std::vector<GpuDraw>& draws,
                     MostDraw most = MostDraw::with_jobs);

/// The least cost of all sites per second, without jobs: of their least draw where a joule costs
/// something, of their highest where it earns money.
StepRate idle_rate(const Machines& machines, std::span<const StepRate> rates,
                   const ObjectiveWeights& weights);

}  // namespace penstock
