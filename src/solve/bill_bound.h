#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solve/bounded_jobs.h"
#include "solve/step_rate.h"
#include "solve/windows.h"

namespace penstock {

struct LoneRates {
  std::span<const double> rates;  ///< the least cost of a joule, by site
  const ObjectiveWeights& weights;
};

/// A lower bound on the cost of a job that has all machines for itself: machines and tardiness
/// together, over all mixtures of its ways.
double least_alone(const BoundedJob& job, const BoundedShape& shape, const Machines& machines,
                   const LoneRates& lone);

/// The cheapest way to make up a whole of parts, each with a cost and a largest share; parts are
/// offered one by one.
class CheapestShares {
 public:
  void clear() {
    parts_.clear();
    filled_ = 0;
    sum_ = 0;
  }

  /// Offers a part: at most `share` of the whole, at the price of `cost` for the whole, which is
  /// finite.
  void offer(double cost, double share) {
    if (is_whole() && cost >= parts_.front().first) return;
    share = std::min(share, 1.0);
    parts_.emplace_back(cost, share);
    std::ranges::push_heap(parts_);
    sum_ += cost * share;
    filled_ += share;
    while (parts_.size() > 1 && filled_ - parts_.front().second >= 1) drop_dearest();
  }

  bool is_whole() const { return filled_ >= 1 - kExact; }
  /// The total cost of the cheapest parts that fill the whole; of all parts if they do not fill it.
  double cost() const {
    if (parts_.empty()) return 0;
    return sum_ - std::max(0.0, filled_ - 1) * parts_.front().first;
  }

 private:
  static constexpr double kExact = 1e-9;

  void drop_dearest() {
    const auto [cost, share] = parts_.front();
    std::ranges::pop_heap(parts_);
    parts_.pop_back();
    filled_ -= share;
    sum_ -= cost * share;
  }

  std::vector<std::pair<double, double>> parts_;  ///< costs and shares; the dearest in front
  double filled_ = 0;
  double sum_ = 0;
};

/// The Lagrangian bound on the total cost of all jobs, by the window in which the run ends: the
/// least cost of each job by itself at these prices, less the value of all GPUs until then. It
/// holds for any prices.
std::vector<double> job_costs(const PricedWork& priced, const CapacityPrices& prices);

/// The least possible cost of a run. Nothing if it is unbounded. `makespan` must be a lower bound
/// of the run's length in seconds.
///
/// Work may be put into any window of time after submission, at the least rate of that window, as
/// much as the job can do in it; GPUs of a window are shared out by GPU-seconds, at prices that a
/// linear program finds. At any such prices every job can be bounded by itself, so nothing depends
/// on how well the program was solved, or that it knows jobs only by classes.
std::optional<double> least_bill(const BoundedWorld& world, const BoundedJobs& jobs,
                                 double makespan, const ObjectiveWeights& weights,
                                 const BoundSettings& settings);

}  // namespace penstock
