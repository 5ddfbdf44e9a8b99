#include "solve/bill_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "solve/job_costs.h"
#include "solve/step_rate.h"

namespace penstock {
namespace {

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

/// For how long a job may hold GPUs without working on them: until nodes are awake and it has
/// started, at every start; and what a failure destroys is done again.
double wasted_by(const BoundedWorld& world, const BoundedJobs& jobs,
                 const BoundSettings& settings) {
  const double start =
      seconds(world.costs.start + (world.costs.sleep_after ? world.costs.wake : Duration::zero()));
  const bool again = settings.preempts && (start > 0 || world.costs.restart > Duration::zero());
  if (again || !jobs.rigid || world.failures) return kEndlessTime;
  return start;
}

bool earns_anything(std::span<const StepRate> rates) {
  return std::ranges::any_of(rates, [](const StepRate& rate) {
    return std::ranges::any_of(rate.steps(), [](const auto& step) { return step.rate < 0; });
  });
}

struct BillTerms {
  std::span<const StepRate> rates;
  double makespan = 0;
  const ObjectiveWeights& weights;
  const BoundSettings& settings;
};

/// Looks for the prices of GPUs with which the least sum is largest, if machines draw so much at
/// most where a joule counts less than nothing.
class BillSearch {
 public:
  BillSearch(const BoundedWorld& world, const BoundedJobs& jobs, const BillTerms& terms,
             MostDraw most)
      : world_(world),
        terms_(terms),
        floor_(most == MostDraw::idle ? -kUnbounded : 0),
        machines_(machines_of(world, jobs.draws, most)),
        around_{.idle = idle_rate(machines_, terms.rates, terms.weights),
                .makespan = terms.makespan,
                .use = terms.weights.use,
                .busy_for = busy_for(world, jobs)},
        windows_(windows_of(world, terms.rates, terms.makespan, terms.settings, floor_)),
        sending_(world, terms.weights),
        priced_{windows_, machines_,     jobs,
                sending_, terms.weights, wasted_by(world, jobs, terms.settings)} {}

  /// The best so far.
  double least() const { return end_.cost; }
  bool is_small() const {
    constexpr double kSmall = 3e4;
    return double(priced_.jobs.jobs.size()) * double(windows_.size()) < kSmall;
  }

  bool is_large() const {
    constexpr double kLarge = 3e7;
    return double(priced_.jobs.jobs.size()) * double(windows_.size()) > kLarge;
  }

  /// By linear programs over classes of jobs.
  void solve_programs() {
    work_ = job_costs(priced_, {});
    solve_programs(windows_.size() - 1, is_large() ? 5 : kPrograms);
  }
  void solve_programs(std::size_t last, int rounds) {
    std::set<std::size_t> done;
    for (int round = 0; round < rounds && !done.contains(last); ++round) {
      done.insert(last);
      learn(capacity_prices(priced_, last, terms_.settings.most_columns));
      const auto next = done.upper_bound(end_.window);
      last = next == done.end() ? end_.window : (end_.window + *next) / 2;
    }
  }

  /// By other prices, and in finer windows.
  void refine() {
    if (std::isinf(end_.cost)) return;
    const bool finer = divide(price_stakes(), windows_for_prices());
    const bool pays = pays_for_ends();
    if (finer) solve_programs(windows_.size() - 1, is_large() ? 2 : kFinePrograms);
    if (pays || (earns_anything(terms_.rates) && is_small())) improve();
    if (pays && divide(scarcity_stakes(), terms_.settings.most_windows / 2)) improve();
  }

 private:
  static constexpr int kPrograms = 9;        ///< each prices another end of the run
  static constexpr int kFinePrograms = 4;    ///< of finer windows
  static constexpr double kMostSteps = 1e8;  ///< jobs times windows
  static constexpr int kMostRounds = 200;    ///< of looking for better prices

  /// Does it cost something when jobs end, so that the programs, which know only when work is
  /// done, may be far from the best prices?
  bool pays_for_ends() const {
    return std::ranges::any_of(priced_.jobs.jobs, [&](const BoundedJob& job) {
      return priced_.weights.tardiness * job.weight > 0;
    });
  }

  /// What it would cost if every job were late by the time that it takes.
  double lateness_of_own_length() const {
    double sum = 0;
    for (const BoundedJob& job : priced_.jobs.jobs)
      sum += priced_.weights.tardiness * job.weight * job.fastest;
    return sum;
  }

  /// Keeps prices that are better than those before.
  void learn(CapacityPrices prices, const std::vector<double>& costs) {
    take_better(work_, costs);
    const double before = end_.cost;
    end_ = cheapest_end(windows_, around_, work_);
    if (prices_.empty() || end_.cost > before) prices_ = std::move(prices);
  }
  void learn(CapacityPrices prices) {
    const std::vector<double> costs = job_costs(priced_, prices);
    learn(std::move(prices), costs);
  }

  int rounds() const {
    const double steps = double(priced_.jobs.jobs.size()) * double(windows_.size());
    return static_cast<int>(std::min<double>(kMostRounds, kMostSteps / std::max(1.0, steps)));
  }

  /// By subgradients: GPUs that jobs would use more of than there are become dearer, others
  /// cheaper. Steps are as long as a bound would need that is better by some part (Polyak), and
  /// remember those before.
  void improve() {
    constexpr double kFirstPart = 0.1;
    constexpr double kLastPart = 1e-3;
    constexpr int kPatience = 10;
    constexpr double kUsualPart = 0.1;
    const double usual = kUsualPart * lateness_of_own_length();
    CapacityPrices prices = all_prices();
    CapacityPrices direction;
    double part = kFirstPart;
    double to_beat = end_.cost;
    int vain = 0;
    for (int round = rounds(); round > 0 && part > kLastPart; --round) {
      JobCosts costs = job_costs_and_use(priced_, prices, end_.window);
      learn(prices, costs.by_end);
      vain = end_.cost > to_beat + 1e-3 * std::abs(to_beat) ? 0 : vain + 1;
      if (vain == 0) to_beat = end_.cost;
      if (vain >= kPatience) {
        vain = 0;
        part /= 2;
        prices = all_prices();
        direction.clear();
        continue;
      }
      step(prices, direction, costs.used, part * std::max(std::abs(end_.cost), usual));
    }
  }

  /// The best known prices, of all windows.
  CapacityPrices all_prices() const {
    CapacityPrices prices = prices_;
    prices.resize(windows_.size(), std::vector<double>(machines_.pools.size(), 0.0));
    return prices;
  }

  void step(CapacityPrices& prices, CapacityPrices& direction, const GpuSeconds& used,
            double wanted) const {
    constexpr double kMemory = 0.6;
    direction.resize(prices.size(), std::vector<double>(machines_.pools.size(), 0.0));
    double norm = 0;
    for_each_limit([&](std::size_t w, std::size_t p, double length) {
      double& towards = direction[w][p];
      const bool counts = w <= end_.window;
      towards = kMemory * towards + (counts ? used[w][p] / length - machines_.pools[p].gpus : 0);
      if (prices[w][p] > 0 || towards > 0) norm += towards * towards * length;
    });
    if (norm <= 0) return;
    for_each_limit([&](std::size_t w, std::size_t p, double /*length*/) {
      prices[w][p] = std::max(0.0, prices[w][p] + wanted / norm * direction[w][p]);
    });
  }

  template <class Do>
  void for_each_finite(const Do& what) const {
    for (std::size_t w = 0; w < windows_.size() && std::isfinite(windows_.end(w)); ++w)
      what(w, windows_.end(w) - windows_.begin[w]);
  }
  template <class Do>
  void for_each_limit(const Do& what) const {
    for_each_finite([&](std::size_t w, double length) {
      for (std::size_t p = 0; p < machines_.pools.size(); ++p) what(w, p, length);
    });
  }

  /// What it may matter that prices count as their least in a window.
  std::vector<double> price_stakes() const {
    constexpr double kSoon = 1.25;  // makespans: most runs end by then
    constexpr double kLater = 0.25;
    std::vector<double> watts(terms_.rates.size(), 0.0);
    for (const GpuPool& pool : machines_.pools)
      watts[pool.site] += pool.gpus * (priced_.jobs.draws[pool.type].most + pool.node_watts);
    std::vector<double> stakes(windows_.size(), 0.0);
    for (std::size_t site = 0; site < watts.size(); ++site)
      for_each_finite([&](std::size_t w, double length) {
        const StepRate& rate = terms_.rates[site];
        const double sum = rate.sum_until(windows_.end(w)) - rate.sum_until(windows_.begin[w]);
        const double least = rate.least_rate(windows_.begin[w], windows_.end(w)) * length;
        const double part = windows_.begin[w] > kSoon * terms_.makespan ? kLater : 1;
        if (sum - least > 1e-9 * std::abs(sum)) stakes[w] += part * watts[site] * (sum - least);
      });
    stakes.back() = 0;  // long after most runs, and it may be very long
    return stakes;
  }

  /// What the GPUs of each window are worth.
  std::vector<double> scarcity_stakes() const {
    const CapacityPrices prices = all_prices();
    std::vector<double> stakes(windows_.size(), 0.0);
    for_each_limit([&](std::size_t w, std::size_t p, double length) {
      stakes[w] += prices[w][p] * machines_.pools[p].gpus * length;
    });
    return stakes;
  }

  /// Few for many jobs.
  std::size_t windows_for_prices() const {
    constexpr double kMost = 4096;
    constexpr double kLargest = 4e6;  // jobs times windows
    const double few = 2 * double(terms_.settings.most_windows);
    const double most = std::max(few, kLargest / double(priced_.jobs.jobs.size()));
    return static_cast<std::size_t>(std::min({most, kMost, 8 * double(windows_.size())}));
  }

  /// Divides windows in which something is at stake; has anything changed?
  bool divide(std::vector<double> stakes, std::size_t most) {
    if (windows_.size() >= most) return false;
    const CapacityPrices prices = all_prices();
    DividedWindows finer =
        divided({windows_, std::move(stakes), most}, world_, terms_.rates, floor_);
    if (finer.windows.size() == windows_.size()) return false;
    finer.windows.earliest_last = static_cast<std::uint32_t>(finer.windows.at(terms_.makespan));
    std::vector<double> work;
    prices_.clear();
    for (const std::size_t w : finer.parts_of) {
      work.push_back(work_[w]);
      prices_.push_back(prices[w]);
    }
    work_ = std::move(work);
    windows_ = std::move(finer.windows);
    end_ = cheapest_end(windows_, around_, work_);
    return true;
  }

  const BoundedWorld& world_;
  const BillTerms& terms_;
  double floor_;  ///< rates below it count as that
  Machines machines_;
  Around around_;
  TimeWindows windows_;
  LeastSending sending_;
  PricedWork priced_;
  std::vector<double> work_;  ///< the jobs' least costs by the window of the run's end
  CapacityPrices prices_;     ///< the best so far
  End end_{.cost = -kUnbounded};
};

}  // namespace

namespace {

std::optional<double> finite(double sum) {
  if (!std::isfinite(sum)) return std::nullopt;
  return sum;
}

}  // namespace

std::optional<double> least_bill(const BoundedWorld& world, const BoundedJobs& jobs,
                                 double makespan, const ObjectiveWeights& weights,
                                 const BoundSettings& settings) {
  std::vector<StepRate> rates;
  for (const SiteSignals& site : world.signals) rates.push_back(rate_of(site, world, weights));
  const BillTerms terms{rates, makespan, weights, settings};
  BillSearch search(world, jobs, terms, MostDraw::idle);
  search.solve_programs();
  if (!earns_anything(rates)) {
    search.refine();
    return finite(search.least());
  }
  BillSearch other(world, jobs, terms, MostDraw::with_jobs);
  other.solve_programs();
  const bool first = search.least() > other.least();
  if (first || search.is_small()) search.refine();
  if (!first || other.is_small()) other.refine();
  const double least = std::max(search.least(), other.least());
  return finite(least);
}

}  // namespace penstock
