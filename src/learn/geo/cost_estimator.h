#pragma once

#include <optional>
#include <vector>

#include "model/costs.h"
#include "policies/geo/router.h"

namespace penstock {

/// What jobs are like where a router works, so that their costs can be told in one unit. A price
/// or carbon of 0 is taken from the sites' last week: what is dear is so for its time.
struct JobScale {
  double kwh = 1;     ///< that a mean job uses
  double price = 0;   ///< what a mean job pays for each of them
  double carbon = 0;  ///< the same in grams
  friend bool operator==(const JobScale&, const JobScale&) = default;
};

/// Price and carbon at one site at one instant, and what is believed of their future; all of it
/// with the site's PUE of now.
struct SitePrices {
  Forecast<Price> price;
  Forecast<CarbonIntensity> carbon;
  double pue = 1;

  double price_over(Time from, Time to) const { return pue * price.mean(from, to).value(); }
  double carbon_over(Time from, Time to) const { return pue * carbon.mean(from, to).value(); }
};

/// What it is believed to cost to run jobs, in mean jobs: one that costs what a mean job does, in
/// money and in carbon, and sends nothing, costs the sum of both weights.
class CostEstimator {
 public:
  /// Without `transfers`, sending files is taken to cost nothing.
  CostEstimator(const UtilityWeights& weights, const JobScale& scale, bool transfers = true)
      : weights_(weights), given_(scale), scale_(scale), transfers_(transfers) {}

  /// To be called first at every instant.
  void look(const RouterView& view);

  const SitePrices& at(SiteId site) const { return sites_[site.index]; }
  const JobScale& scale() const { return scale_; }
  /// Of a job that leaves at some time and starts when its files are there.
  double cost(const JobState& job, SiteId site, const Stay& stay, Time leaves) const;
  /// The part of it that is for sending files now.
  double transfer(const JobState& job, SiteId site, const Stay& stay) const;
  /// What the job weighs in mean jobs, wherever it runs.
  double size(const Stay& stay) const;

 private:
  UtilityWeights weights_;
  JobScale given_;
  JobScale scale_;
  bool transfers_;
  std::vector<SitePrices> sites_;
  const Network* network_ = nullptr;
  Time now_{};
};

}  // namespace penstock
