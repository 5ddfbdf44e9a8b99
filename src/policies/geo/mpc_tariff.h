#pragma once

#include <vector>

#include "policies/geo/mpc_rate.h"
#include "policies/geo/router.h"

namespace penstock {

/// How much each thing counts: the weights of the utility (docs/geo.md).
struct MpcWeights {
  double price = 0.5;
  double carbon = 0.5;
  double transfer = 0.1;
  double late = 1;
  double wait = 0.02;  ///< a job's own energy at mean rates, for each hour of waiting
};

/// A job at a site, in hours, kilowatts and GPUs.
struct MpcDemand {
  SiteId site{};
  double delay = 0;      ///< until its files are there
  double run = 0;        ///< hours
  double latest = 0;     ///< hour, from the first step on, after which its start is late
  double kilowatts = 0;  ///< that it adds to the site's draw, without PUE
  double transfer = 0;   ///< what sending its files counts
  double gpus = 0;
};

/// What running counts at each site and hour. The unit is a kilowatt-hour at the mean price and the
/// mean carbon intensity of all sites since the beginning, so prices and grams compare as they do
/// in the utility, whatever the currency.
class MpcTariff {
 public:
  /// Jobs without a deadline may wait for `slack` times what they ask for.
  MpcTariff(const Cluster& cluster, const Costs& costs, const MpcWeights& weights, double slack);

  /// Asks for forecasts anew, from the first of these steps on.
  void refresh(const RouterView& view, const Steps& steps);
  const MpcWeights& weights() const { return weights_; }

  /// Nothing if the job cannot run there at all.
  std::optional<MpcDemand> demand(const JobState& job, SiteId site, const RouterView& view) const;
  /// A job's energy if it works from hour `start` on, counted from the first step.
  double energy(const MpcDemand& demand, double start) const {
    return demand.kilowatts * rates_[demand.site.index].between(start, start + demand.run);
  }

  /// A job was seen: what is usual follows.
  void learn(const MpcDemand& demand, Time now);
  /// What an average job's part in all energy counts, idle machines included: what the utility
  /// takes off for a late job is in terms of this.
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

}  // namespace penstock
