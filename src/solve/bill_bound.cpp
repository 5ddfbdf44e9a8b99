#include "solve/bill_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "solve/priced_jobs.h"

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr int kRounds = 8;  ///< each prices another end of the run

/// What bounds a run that may end later also bounds one that may not.
void take_better(std::vector<double>& bounds, const std::vector<double>& others) {
  double later = -kEndless;
  for (std::size_t w = bounds.size(); w-- > 0;) {
    later = std::max({later, bounds[w], others[w]});
    bounds[w] = later;
  }
}

struct End {
  std::size_t window = 0;
  double cost = kEndless;
};

/// Machines beside the jobs: what they come to until the run ends, and what is taken off for being
/// used.
struct Around {
  StepRate idle;
  double makespan = 0;  ///< at least
  double use = 0;       ///< what full utilisation counts
  double busy_for = 0;  ///< seconds for which the jobs can keep all GPUs busy; or endless
};

/// The end of the run with which machines and jobs together come to least.
End cheapest_end(const TimeWindows& windows, const Around& around,
                 const std::vector<double>& work) {
  End best;
  for (std::size_t last = windows.earliest_last; last < windows.size(); ++last) {
    const double from = std::max(around.makespan, windows.begin[last]);
    const double used = from > 0 ? std::min(1.0, around.busy_for / from) : 1;
    const double cost =
        around.idle.least_sum(from, windows.end(last)) + work[last] - around.use * used;
    if (cost < best.cost) best = {.window = last, .cost = cost};
  }
  return best;
}

/// Rigid jobs hold their GPUs while their nodes wake up, and for as long as they work; others might
/// be slowed down, and what a failure destroys is done again.
double busy_for(const BoundedWorld& world, const BoundedJobs& jobs) {
  if (!jobs.rigid || world.failures) return kEndless;
  double gpu_seconds = 0;
  const double wake = world.costs.sleep_after ? seconds(world.costs.wake) : 0;
  for (const BoundedJob& job : jobs.jobs)
    gpu_seconds += job.gpu_seconds * (job.fastest > 0 ? 1 + wake / job.fastest : 1);
  return gpu_seconds / world.cluster.gpu_count();
}

/// Is what a job draws beyond idle GPUs the same in every run? Then no more can be earned by it
/// where a joule counts less than nothing; else machines may draw all they can.
bool draws_are_known(const BoundedWorld& world, const BoundedJobs& jobs,
                     const BoundSettings& settings) {
  const bool once = !settings.preempts || world.costs.restart == Duration::zero();
  return once && jobs.rigid && !world.failures && world.cluster.node_tables.empty();
}

/// The most that GPUs draw without jobs.
std::vector<GpuDraw> without_jobs(const BoundedWorld& world, std::vector<GpuDraw> draws) {
  for (std::size_t i = 0; i < draws.size(); ++i)
    draws[i].most = std::max(draws[i].least, world.cluster.types[i].idle.value());
  return draws;
}

}  // namespace

std::optional<double> least_bill(const BoundedWorld& world, const BoundedJobs& jobs,
                                 double makespan, const Counted& counted,
                                 const BoundSettings& settings) {
  std::vector<StepRate> rates;
  for (const SiteSignals& site : world.signals) rates.push_back(rate_of(site, world, counted));
  const bool known = draws_are_known(world, jobs, settings);
  const Machines machines =
      machines_of(world, known ? without_jobs(world, jobs.draws) : jobs.draws);
  const Around around{.idle = idle_rate(machines, rates, counted),
                      .makespan = makespan,
                      .use = counted.use,
                      .busy_for = busy_for(world, jobs)};
  const TimeWindows windows = windows_of(world, rates, makespan, settings, known ? -kEndless : 0);
  const LeastSending sending(world, counted);
  const double wake = world.costs.sleep_after ? seconds(world.costs.wake) : 0;
  const PricedWork priced{windows, machines, jobs, sending, counted, wake};

  // The jobs' least costs by the window of the run's end, by the best prices known so far.
  std::vector<double> work = job_costs(priced, {});
  std::set<std::size_t> priced_for;
  const auto price_for = [&](std::size_t last) {
    priced_for.insert(last);
    const auto prices = capacity_prices(priced, last, settings.most_columns);
    take_better(work, job_costs(priced, prices));
    return cheapest_end(windows, around, work);
  };
  End end = price_for(windows.size() - 1);
  for (int round = 0; round < kRounds && !priced_for.contains(end.window); ++round)
    end = price_for((end.window + *priced_for.upper_bound(end.window)) / 2);
  if (!std::isfinite(end.cost)) return std::nullopt;
  return end.cost;
}

}  // namespace penstock
