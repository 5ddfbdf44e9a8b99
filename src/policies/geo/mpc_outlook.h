#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "policies/geo/router.h"

namespace penstock {

/// A rate per hour that changes in steps of equal length from hour 0 on.
class MpcRate {
 public:
  MpcRate() = default;
  /// `beyond` holds after the last step.
  MpcRate(double step, std::vector<double> rates, double beyond)
      : step_(step), rates_(std::move(rates)), beyond_(beyond) {
    sums_.reserve(rates_.size() + 1);
    for (const double rate : rates_) sums_.push_back(sums_.back() + rate * step_);
  }

  /// The integral over hours; neither may be below 0.
  double between(double from, double to) const { return until(to) - until(from); }

 private:
  double until(double hour) const {
    const auto at = static_cast<std::size_t>(hour / step_);
    if (at >= rates_.size())
      return sums_.back() + beyond_ * (hour - step_ * static_cast<double>(rates_.size()));
    return sums_[at] + rates_[at] * (hour - step_ * static_cast<double>(at));
  }

  double step_ = 1;
  std::vector<double> rates_;
  double beyond_ = 0;
  std::vector<double> sums_{0.0};  ///< until step i
};

/// The weights of the utility (docs/geo.md).
struct MpcWeights {
  double price = 0.5;
  double carbon = 0.5;
  double transfer = 0.1;
  double late = 1;
  double wait = 0.02;  ///< of an hour's wait, relative to the job's own energy at mean rates
};

/// A job at a site, in hours, kilowatts and GPUs.
struct MpcDemand {
  SiteId site{};
  double delay = 0;      ///< until its files are there
  double run = 0;        ///< hours
  double latest = 0;     ///< hour, from the first step on, after which its start is late
  double kilowatts = 0;  ///< that it adds to the site's draw, without PUE
  double transfer = 0;   ///< the cost of sending its files, in units of MpcTariff
  double gpus = 0;
};

/// The cost of running at each site and hour. Its unit is a kilowatt-hour at the mean price and the
/// mean carbon intensity of all sites since the run began, so price and carbon compare as they do
/// in the utility, whatever the currency.
class MpcTariff {
 public:
  /// Jobs without a deadline may wait for `slack` times what they ask for.
  MpcTariff(const Cluster& cluster, const Costs& costs, const MpcWeights& weights, double slack);

  /// Replaces the forecasts; they begin at the first of these steps.
  void refresh(const RouterView& view, const Steps& steps);
  const MpcWeights& weights() const { return weights_; }

  /// Nothing if the job cannot run there at all.
  std::optional<MpcDemand> demand(const JobState& job, SiteId site, const RouterView& view) const;
  /// A job's energy if it works from hour `start` on, counted from the first step.
  double energy(const MpcDemand& demand, double start) const {
    return demand.kilowatts * rates_[demand.site.index].between(start, start + demand.run);
  }

  /// Updates the average job by a job that was seen.
  void learn(const MpcDemand& demand, Time now);
  /// The cost of the energy of all sites, idle machines included, per job seen so far. The
  /// utility's penalty for a late job is a multiple of this.
  double usual_job() const;

 private:
  double sending(const JobState& job, SiteId to, double gigabytes, const RouterView& view) const;

  const Cluster& cluster_;
  MpcWeights weights_;
  double slack_;
  Time origin_{};               ///< hour 0
  std::vector<double> waking_;  ///< kilowatts that a GPU in use keeps awake, by site
  double idle_kilowatts_ = 0;   ///< of all sites
  std::vector<MpcRate> rates_;  ///< by site
  double price_sum_ = 0;
  double carbon_sum_ = 0;
  double refreshed_ = 0;
  Time first_{};
  Time last_{};
  double jobs_ = 0;
  double job_kwh_ = 0;
};

/// A job whose files are on their way.
struct MpcComing {
  MpcDemand demand{};
  Time there{};
};

/// GPUs that are believed to be free at each site in each step ahead, less what is planned.
class MpcRoom {
 public:
  /// Reads what sites publish. Jobs that wait there are taken to fill the first free steps; those
  /// of `coming`, which sites count among them, have their GPUs from when their files are there.
  void refresh(const RouterView& view, const Steps& steps, std::span<const MpcComing> coming);

  std::size_t sites() const { return free_.size(); }
  std::size_t steps() const { return free_.empty() ? 0 : free_.front().size(); }
  double step_hours() const { return step_; }
  double free(std::size_t site, std::size_t step) const { return free_[site][step]; }

  /// Would a job have its GPUs from hour `start` until it ends, as far as is known?
  /// The step of the start is not looked at if `skips_first`.
  bool fits(const MpcDemand& demand, double start, bool skips_first) const;
  /// Holds the GPUs of such a job, or gives them back.
  void book(const MpcDemand& demand, double start);
  void release(const MpcDemand& demand, double start);

 private:
  void change(const MpcDemand& demand, double start, double sign);

  double step_ = 1;                        ///< hours
  std::vector<std::vector<double>> free_;  ///< by site and step; planned beyond it below 0
};

}  // namespace penstock
