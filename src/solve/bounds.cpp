#include "solve/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/bill_bound.h"
#include "solve/bounded_jobs.h"

namespace penstock {
namespace {

/// What adding up in another order may change, taken off.
double safely(double bound) {
  return bound - 1e-9 * std::abs(bound);
}

Duration whole(double s) {
  return Duration(static_cast<std::int64_t>(std::floor(safely(s) * 1e3)));
}

}  // namespace

Joules least_job_energy(const BoundedWorld& world, JobSource& source) {
  const std::vector<GpuDraw> from_nothing(world.cluster.types.size());
  const BoundedJobs all = bounded_jobs(world, from_nothing, source);
  double sum = 0;
  for (const BoundedJob& job : all.jobs) {
    double least = std::numeric_limits<double>::infinity();
    for (const Use& use : all.shapes[job.shape].uses)
      if (use.possible) least = std::min(least, use.joules * job.work);
    sum += least;
  }
  return Joules(safely(sum));
}

Bounds lower_bounds(const BoundedWorld& world, JobSource& source, const BoundSettings& settings) {
  const BoundedJobs all = bounded_jobs(world, gpu_draws(world), source);
  Bounds bounds;
  if (all.jobs.empty()) return bounds;
  double submitted = 0;
  for (const BoundedJob& job : all.jobs) submitted += job.submitted;
  const double completions = least_total_completion(all.jobs, world.cluster.gpu_count());
  bounds.jct_mean = whole((completions - submitted) / static_cast<double>(all.jobs.size()));
  const double makespan = least_makespan(world, all);
  bounds.makespan = whole(makespan);
  const auto least = [&](const ObjectiveWeights& weights) {
    return least_bill(world, all, makespan, weights, settings);
  };
  if (const auto joules = least({.joule = 1})) bounds.energy = Joules(safely(*joules));
  if (const auto money =
          least({.money = 1, .gram = world.carbon_price, .tardiness = 1, .transfer = 1}))
    bounds.total_cost = Money(safely(*money));
  if (const auto grams = least({.gram = 1})) bounds.carbon = GramsCo2(safely(*grams));
  return bounds;
}

std::optional<double> least_sum(const BoundedWorld& world, JobSource& source,
                                const ObjectiveWeights& weights, const BoundSettings& settings) {
  const BoundedJobs all = bounded_jobs(world, gpu_draws(world), source);
  if (all.jobs.empty()) return std::nullopt;
  const auto sum = least_bill(world, all, least_makespan(world, all), weights, settings);
  if (!sum) return std::nullopt;
  return safely(*sum);
}

ObjectiveWeights utility_objective(const UtilityWeights& weights, const HomeRun& home,
                                   double jobs) {
  const auto per = [](double weight, double reference) {
    return reference > 0 ? weight / reference : 0;
  };
  return {.money = per(weights.cost, home.cost.value()),
          .gram = per(weights.carbon, home.carbon.value()),
          .late = per(weights.late, jobs),
          .transfer = per(weights.transfer, home.cost.value()),
          .use = weights.utilization};
}

}  // namespace penstock
