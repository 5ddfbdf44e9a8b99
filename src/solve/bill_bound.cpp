#include "solve/bill_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

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
  const ObjectiveWeights& weights = lone.weights;
  std::vector<Offer> all;
  for (const GpuPool& pool : machines.pools) {
    const Use& use = shape.uses[pool.type];
    if (!use.possible) continue;
    const double rate = lone.rates[pool.site];
    for (const WorkWay& way : use.ways)
      all.push_back({way.seconds * job.work, cost_on(pool, way, rate, weights) * job.work});
    if (use.ways.empty())
      all.push_back({job.fastest, cost_on(pool, use, rate, weights) * job.work});
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
        least, a.cost + lone.weights.tardiness * job.weight * std::max(0.0, a.seconds - in_time));
    if (a.seconds >= in_time) continue;
    for (const Offer& b : all) {  // a part of the work by each, so that it is just in time
      if (b.seconds <= in_time) continue;
      const double part = (b.seconds - in_time) / (b.seconds - a.seconds);
      least = std::min(least, part * a.cost + (1 - part) * b.cost);
    }
  }
  return least;
}

namespace {

/// What a unit of work of a shape comes to at least in each window.
struct UnitCosts {
  std::vector<std::vector<double>> at_site{};
  std::vector<double> anywhere{};
};

UnitCosts unit_costs(const BoundedShape& shape, const PricedWork& priced,
                     const CapacityPrices& prices) {
  const std::size_t windows = priced.windows.size();
  UnitCosts costs{.at_site = std::vector<std::vector<double>>(
                      priced.windows.rates.size(), std::vector<double>(windows, kUnbounded)),
                  .anywhere = std::vector<double>(windows, kUnbounded)};
  for (std::size_t w = 0; w < windows; ++w)
    for (std::size_t p = 0; p < priced.machines.pools.size(); ++p) {
      const GpuPool& pool = priced.machines.pools[p];
      const Use& use = shape.uses[pool.type];
      if (!use.possible) continue;
      const double scarce = w < prices.size() ? prices[w][p] : 0;
      const double paid = cost_on(pool, use, priced.windows.rates[pool.site][w], priced.weights);
      double& here = costs.at_site[pool.site][w];
      here = std::min(here, paid + use.gpu_seconds * scarce);
      costs.anywhere[w] = std::min(costs.anywhere[w], here);
    }
  return costs;
}

/// What a joule comes to at least in any window, by site.
std::vector<double> least_rates(const TimeWindows& windows) {
  std::vector<double> rates;
  rates.reserve(windows.rates.size());
  for (const auto& site : windows.rates) rates.push_back(std::ranges::min(site));
  return rates;
}

/// Adds up the least costs of jobs, by the window in which the run ends.
class JobSums {
 public:
  explicit JobSums(const PricedWork& priced) : priced_(priced), sums_(priced.windows.size(), 0.0) {}

  /// Never less than `alone`.
  void add(const BoundedJob& job, const UnitCosts& unit, double alone) {
    const TimeWindows& windows = priced_.windows;
    const double late = job.due ? priced_.weights.late : 0;
    const double earned = job.gigabytes * priced_.sending.earned();
    any_.clear();
    in_time_.clear();
    for (std::size_t w = windows.at(job.ready); w < windows.size(); ++w) {
      const double cost = cost_in(w, job, unit);
      if (cost < kUnbounded) {
        any_.offer(cost, share(job, w, kUnbounded));
        if (late > 0 && windows.begin[w] < job.deadline)
          in_time_.offer(cost, share(job, w, job.deadline));
      }
      double least = any_.cost() + late;
      if (late > 0 && in_time_.is_whole()) least = std::min(least, in_time_.cost());
      sums_[w] += std::max(least, alone) - earned;
    }
  }

  std::vector<double>& sums() { return sums_; }

 private:
  /// How much of the job can be done in a window until some time.
  double share(const BoundedJob& job, std::size_t w, double until) const {
    const double from = std::max(priced_.windows.begin[w], job.ready);
    const double time = std::min(priced_.windows.end(w), until) - from;
    return time >= job.fastest ? 1 : std::max(0.0, time / job.fastest);
  }

  /// What all of the job would come to in a window.
  double cost_in(std::size_t w, const BoundedJob& job, const UnitCosts& unit) const {
    double cost = job.work * unit.anywhere[w];
    if (job.gigabytes > 0) cost = cost_with_files(w, job, unit);
    if (cost < 0) cost *= job.fastest > 0 ? 1 + priced_.wake / job.fastest : 1;
    const double weight = priced_.weights.tardiness * job.weight;
    if (weight > 0) {
      const double late_anyway = std::max(0.0, job.ready + job.fastest - job.deadline);
      cost += weight * std::max(late_anyway, priced_.windows.begin[w] - job.deadline);
    }
    return cost;
  }

  double cost_with_files(std::size_t w, const BoundedJob& job, const UnitCosts& unit) const {
    const LeastSending& sending = priced_.sending;
    double cost = kUnbounded;
    for (std::uint32_t site = 0; site < unit.at_site.size(); ++site) {
      if (job.submitted + job.gigabytes * sending.seconds(job.home, site) >= priced_.windows.end(w))
        continue;
      cost = std::min(
          cost, job.work * unit.at_site[site][w] + job.gigabytes * sending.cost(job.home, site));
    }
    return cost;
  }

  const PricedWork& priced_;
  std::vector<double> sums_;
  CheapestShares any_;
  CheapestShares in_time_;
};

/// Takes off the worth of all GPUs until each window's end.
void take_off_worth(const PricedWork& priced, const CapacityPrices& prices,
                    std::vector<double>& sums) {
  const TimeWindows& windows = priced.windows;
  double worth = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const bool scarce = w < prices.size() && std::isfinite(windows.end(w));
    for (std::size_t p = 0; scarce && p < prices[w].size(); ++p)
      worth += prices[w][p] * priced.machines.pools[p].gpus * (windows.end(w) - windows.begin[w]);
    sums[w] -= worth;
  }
}

}  // namespace

std::vector<double> job_costs(const PricedWork& priced, const CapacityPrices& prices) {
  const std::vector<BoundedJob>& jobs = priced.jobs.jobs;
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(jobs[i].shape, i); });
  const std::vector<double> rates = least_rates(priced.windows);
  const bool costs_something = std::ranges::min(rates) >= 0;
  JobSums all(priced);
  UnitCosts unit;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BoundedJob& job = jobs[order[i]];
    const BoundedShape& shape = priced.jobs.shapes[job.shape];
    if (i == 0 || job.shape != jobs[order[i - 1]].shape) unit = unit_costs(shape, priced, prices);
    const bool pays = priced.weights.tardiness * job.weight > 0 && costs_something;
    const double alone =
        pays ? least_alone(job, shape, priced.machines, {rates, priced.weights}) : -kUnbounded;
    all.add(job, unit, alone);
  }
  take_off_worth(priced, prices, all.sums());
  return std::move(all.sums());
}

namespace {

constexpr int kRounds = 8;  ///< each prices another end of the run

/// What bounds a run that may end later also bounds one that may not.
void take_better(std::vector<double>& bounds, const std::vector<double>& others) {
  double later = -kUnbounded;
  for (std::size_t w = bounds.size(); w-- > 0;) {
    later = std::max({later, bounds[w], others[w]});
    bounds[w] = later;
  }
}

struct End {
  std::size_t window = 0;
  double cost = kUnbounded;
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
  if (!jobs.rigid || world.failures) return kUnbounded;
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
                                 double makespan, const ObjectiveWeights& weights,
                                 const BoundSettings& settings) {
  std::vector<StepRate> rates;
  for (const SiteSignals& site : world.signals) rates.push_back(rate_of(site, world, weights));
  const bool known = draws_are_known(world, jobs, settings);
  const Machines machines =
      machines_of(world, known ? without_jobs(world, jobs.draws) : jobs.draws);
  const Around around{.idle = idle_rate(machines, rates, weights),
                      .makespan = makespan,
                      .use = weights.use,
                      .busy_for = busy_for(world, jobs)};
  const TimeWindows windows = windows_of(world, rates, makespan, settings, known ? -kUnbounded : 0);
  const LeastSending sending(world, weights);
  const double wake = world.costs.sleep_after ? seconds(world.costs.wake) : 0;
  const PricedWork priced{windows, machines, jobs, sending, weights, wake};

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
