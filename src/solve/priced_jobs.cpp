#include "solve/priced_jobs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "solve/lone_job.h"
#include "solve/shares.h"

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// What a unit of work of a shape comes to at least in each window.
struct UnitCosts {
  std::vector<std::vector<double>> at_site{};
  std::vector<double> anywhere{};
};

UnitCosts unit_costs(const BoundedShape& shape, const PricedWork& priced,
                     const CapacityPrices& prices) {
  const std::size_t windows = priced.windows.size();
  UnitCosts costs{.at_site = std::vector<std::vector<double>>(
                      priced.windows.rates.size(), std::vector<double>(windows, kEndless)),
                  .anywhere = std::vector<double>(windows, kEndless)};
  for (std::size_t w = 0; w < windows; ++w)
    for (std::size_t p = 0; p < priced.machines.pools.size(); ++p) {
      const GpuPool& pool = priced.machines.pools[p];
      const Use& use = shape.uses[pool.type];
      if (!use.possible) continue;
      const double scarce = w < prices.size() ? prices[w][p] : 0;
      const double paid = cost_on(pool, use, priced.windows.rates[pool.site][w], priced.counted);
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
    const double late = job.due ? priced_.counted.late : 0;
    const double earned = job.gigabytes * priced_.sending.earned();
    any_.clear();
    in_time_.clear();
    for (std::size_t w = windows.at(job.ready); w < windows.size(); ++w) {
      const double cost = cost_in(w, job, unit);
      if (cost < kEndless) {
        any_.offer(cost, share(job, w, kEndless));
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
    const double weight = priced_.counted.tardiness * job.weight;
    if (weight > 0) {
      const double late_anyway = std::max(0.0, job.ready + job.fastest - job.deadline);
      cost += weight * std::max(late_anyway, priced_.windows.begin[w] - job.deadline);
    }
    return cost;
  }

  double cost_with_files(std::size_t w, const BoundedJob& job, const UnitCosts& unit) const {
    const LeastSending& sending = priced_.sending;
    double cost = kEndless;
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
    const bool pays = priced.counted.tardiness * job.weight > 0 && costs_something;
    const double alone =
        pays ? least_alone(job, shape, priced.machines, {rates, priced.counted}) : -kEndless;
    all.add(job, unit, alone);
  }
  take_off_worth(priced, prices, all.sums());
  return std::move(all.sums());
}

}  // namespace penstock
