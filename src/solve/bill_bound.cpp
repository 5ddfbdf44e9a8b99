#include "solve/bill_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "solve/lone_job.h"
#include "solve/windows.h"

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr int kRounds = 8;  ///< each prices another end of the run

/// What a unit of work of a shape comes to at least in each window.
std::vector<double> unit_costs(const BoundedShape& shape, const PricedWork& priced,
                               const CapacityPrices& prices) {
  std::vector<double> costs(priced.windows.size(), kEndless);
  for (std::size_t w = 0; w < costs.size(); ++w)
    for (std::size_t p = 0; p < priced.machines.pools.size(); ++p) {
      const GpuPool& pool = priced.machines.pools[p];
      const Use& use = shape.uses[pool.type];
      if (!use.possible) continue;
      const double scarce = w < prices.size() ? prices[w][p] : 0;
      const double paid = cost_on(pool, use, priced.windows.rates[pool.site][w], priced.what);
      costs[w] = std::min(costs[w], paid + use.gpu_seconds * scarce);
    }
  return costs;
}

/// What a joule comes to at least in any window, by site.
std::vector<double> least_rates(const Windows& windows) {
  std::vector<double> rates;
  rates.reserve(windows.rates.size());
  for (const auto& site : windows.rates) rates.push_back(std::ranges::min(site));
  return rates;
}

/// Adds what the job comes to at least if the run ends by window w, to sums[w]; never less than
/// `alone`.
void add_job(const BoundedJob& job, const std::vector<double>& unit, double alone,
             const PricedWork& priced, std::vector<double>& sums) {
  const Windows& windows = priced.windows;
  const double weight = priced.what == Measured::money ? job.weight : 0;
  const double late_anyway = std::max(0.0, job.ready + job.fastest - job.deadline);
  double least = kEndless;
  for (std::size_t w = windows.at(job.submitted); w < windows.size(); ++w) {
    double cost = job.work * unit[w];
    if (weight > 0) cost += weight * std::max(late_anyway, windows.begin[w] - job.deadline);
    least = std::min(least, cost);
    sums[w] += std::max(least, alone);
  }
}

/// Lagrange's bound, by the window in which the run ends: jobs at these prices, less the worth of
/// all GPUs until then. It holds for any prices.
std::vector<double> job_costs(const PricedWork& priced, const CapacityPrices& prices) {
  const Windows& windows = priced.windows;
  std::vector<double> sums(windows.size(), 0.0);
  std::vector<std::uint32_t> order(priced.jobs.jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return priced.jobs.jobs[i].shape; });
  const std::vector<double> rates = least_rates(windows);
  std::vector<double> unit;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BoundedJob& job = priced.jobs.jobs[order[i]];
    if (i == 0 || job.shape != priced.jobs.jobs[order[i - 1]].shape)
      unit = unit_costs(priced.jobs.shapes[job.shape], priced, prices);
    const bool has_deadline = priced.what == Measured::money && job.weight > 0;
    const BoundedShape& shape = priced.jobs.shapes[job.shape];
    const double alone = has_deadline ? least_alone(job, shape, priced.machines, rates) : -kEndless;
    add_job(job, unit, alone, priced, sums);
  }
  double worth = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const bool scarce = w < prices.size() && w + 1 < windows.size();
    for (std::size_t p = 0; scarce && p < prices[w].size(); ++p)
      worth += prices[w][p] * priced.machines.pools[p].gpus * (windows.end(w) - windows.begin[w]);
    sums[w] -= worth;
  }
  return sums;
}

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

/// The end of the run with which machines and jobs together come to least.
End cheapest_end(const Windows& windows, const StepRate& idle, double makespan,
                 const std::vector<double>& work) {
  End best;
  for (std::size_t last = windows.earliest_last; last < windows.size(); ++last) {
    const double from = std::max(makespan, windows.begin[last]);
    const double cost = idle.least_sum(from, windows.end(last)) + work[last];
    if (cost < best.cost) best = {.window = last, .cost = cost};
  }
  return best;
}

}  // namespace

std::optional<double> least_bill(const BoundedWorld& world, const BoundedJobs& jobs,
                                 double makespan, Measured what, const BoundSettings& settings) {
  std::vector<StepRate> rates;
  for (const SiteSignals& site : world.signals) rates.push_back(rate_of(site, world, what));
  const Machines machines = machines_of(world, jobs.draws);
  const StepRate idle = idle_rate(machines, rates, what);
  const Windows windows = windows_of(world, rates, makespan, settings);
  const PricedWork priced{windows, machines, jobs, what};

  // The jobs' least costs by the window of the run's end, by the best prices known so far.
  std::vector<double> work = job_costs(priced, {});
  std::set<std::size_t> priced_for;
  const auto price_for = [&](std::size_t last) {
    priced_for.insert(last);
    const auto prices = capacity_prices(priced, last, settings.most_columns);
    take_better(work, job_costs(priced, prices));
    return cheapest_end(windows, idle, makespan, work);
  };
  End end = price_for(windows.size() - 1);
  for (int round = 0; round < kRounds && !priced_for.contains(end.window); ++round)
    end = price_for((end.window + *priced_for.upper_bound(end.window)) / 2);
  if (!std::isfinite(end.cost)) return std::nullopt;
  return end.cost;
}

}  // namespace penstock
