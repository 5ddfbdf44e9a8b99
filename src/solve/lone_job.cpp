#include "solve/lone_job.h"

#include <algorithm>
#include <limits>

namespace penstock {
namespace {

/// A way of doing all of a job: how long it takes and what its machines come to.
struct Offer {
  double seconds = 0;
  double cost = 0;
};

/// One offer for each way on each pool; where ways are not told apart, one that is as quick as the
/// quickest and as cheap as the cheapest.
std::vector<Offer> offers(const BoundedJob& job, const BoundedShape& shape,
                          const Machines& machines, const LoneRates& lone) {
  const Counted& counted = lone.counted;
  std::vector<Offer> all;
  for (const GpuPool& pool : machines.pools) {
    const Use& use = shape.uses[pool.type];
    if (!use.possible) continue;
    const double rate = lone.rates[pool.site];
    for (const WorkWay& way : use.ways)
      all.push_back({way.seconds * job.work, cost_on(pool, way, rate, counted) * job.work});
    if (use.ways.empty())
      all.push_back({job.fastest, cost_on(pool, use, rate, counted) * job.work});
  }
  return all;
}

}  // namespace

double least_alone(const BoundedJob& job, const BoundedShape& shape, const Machines& machines,
                   const LoneRates& lone) {
  const std::vector<Offer> all = offers(job, shape, machines, lone);
  const double in_time = job.deadline - job.ready;
  double least = std::numeric_limits<double>::infinity();
  for (const Offer& a : all) {
    least = std::min(
        least, a.cost + lone.counted.tardiness * job.weight * std::max(0.0, a.seconds - in_time));
    if (a.seconds >= in_time) continue;
    for (const Offer& b : all) {  // a part of the work by each, so that it is just in time
      if (b.seconds <= in_time) continue;
      const double part = (b.seconds - in_time) / (b.seconds - a.seconds);
      least = std::min(least, part * a.cost + (1 - part) * b.cost);
    }
  }
  return least;
}

}  // namespace penstock
