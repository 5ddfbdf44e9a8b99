#pragma once

#include <optional>
#include <vector>

#include "engine/observer.h"
#include "model/cluster.h"
#include "model/costs.h"
#include "model/site_signals.h"
#include "policies/geo/router.h"

namespace penstock {

/// The mean job, the unit in which costs are counted. A price or carbon of 0 is taken from the
/// sites' last week.
struct JobScale {
  double kwh = 1;     ///< that a mean job uses
  double price = 0;   ///< what a mean job pays for each of them
  double carbon = 0;  ///< grams of CO2 for each of them
  friend bool operator==(const JobScale&, const JobScale&) = default;
};

/// Price and carbon intensity of one site, and their forecasts, all multiplied by its present PUE.
struct SitePrices {
  Forecast<Price> price;
  Forecast<CarbonIntensity> carbon;
  double pue = 1;

  double price_over(Time from, Time to) const { return pue * price.mean(from, to).value(); }
  double carbon_over(Time from, Time to) const { return pue * carbon.mean(from, to).value(); }
};

/// Estimates what jobs cost, in mean jobs: one that costs what a mean job does, in money and in
/// carbon, and sends nothing, costs the sum of both weights.
class CostEstimator {
 public:
  /// Without `transfers`, sending files is taken to cost nothing.
  CostEstimator(const UtilityWeights& weights, const JobScale& scale, bool transfers = true)
      : weights_(weights), given_(scale), scale_(scale), transfers_(transfers) {}

  /// To be called first at every instant.
  void look(const RouterView& view);

  const SitePrices& at(SiteId site) const { return sites_[site.index]; }
  const JobScale& scale() const { return scale_; }
  /// The cost of a job that leaves at some time and starts when its files are there.
  double cost(const JobState& job, SiteId site, const Stay& stay, Time leaves) const;
  /// The part of it that is for sending files now.
  double transfer(const JobState& job, SiteId site, const Stay& stay) const;
  /// The energy of the job in mean jobs, wherever it runs.
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

/// The outcome of one job, as its reward needs it.
struct JobOutcome {
  bool ended = false;
  bool late = false;
  SiteId site{};
  Time arrived{};  ///< at the site where it ended
  Time started{};
  Time finished{};
  double gpus = 0;
  double money = 0;   ///< beyond what its GPUs would have cost had they been idle
  double carbon = 0;  ///< beyond that of idle GPUs, and for its files
  double transfer = 0;
  double transfer_carbon = 0;  ///< is in `carbon`
  double baseline_money = 0;   ///< had it run on submission, at the mean of all sites
  double baseline_carbon = 0;  ///< had it run on submission, at the mean of all sites
};

/// Records the outcomes of the jobs of a run.
class OutcomeObserver final : public Observer {
 public:
  /// Idle GPUs are as good as free if nodes sleep, as `sleeps` says. The others must outlive it.
  OutcomeObserver(const Cluster& cluster, std::span<const SiteSignals> signals, bool sleeps)
      : cluster_(cluster), signals_(signals), sleeps_(sleeps) {}

  void before(const Batch& /*b*/, const State& /*s*/, const Ledger& /*l*/) override {}
  void decided(Time /*now*/, const Decision& /*d*/, const State& /*s*/) override {}
  void ended(const JobRecord& record) override;

  /// Indexed by JobId.
  std::vector<JobOutcome>& outcomes() { return runs_; }

 private:
  Joules idle_energy(const JobRecord& record) const;
  void add_baseline(const JobRecord& record, Joules machines, JobOutcome& outcome) const;

  const Cluster& cluster_;
  std::span<const SiteSignals> signals_;
  bool sleeps_;
  std::vector<JobOutcome> runs_;
};

/// What the reward of a job includes.
enum class RewardScope : std::uint8_t {
  own,   ///< its cost, and its own lateness
  team,  ///< also the lateness of jobs that waited where they held GPUs, by their share of the GPU
         ///< time held there while those waited
};

/// The reward of each job: minus its cost, in mean jobs.
std::vector<double> rewards_of(const std::vector<JobOutcome>& outcomes,
                               const UtilityWeights& weights, const JobScale& scale,
                               RewardScope scope);
/// The reward of each job had it run on submission at the mean of all sites. No choice changes it:
/// subtracting it lowers the variance of rewards.
std::vector<double> baseline_rewards(const std::vector<JobOutcome>& outcomes,
                                     const UtilityWeights& weights, const JobScale& scale);

}  // namespace penstock
