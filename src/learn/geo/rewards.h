#pragma once

#include <vector>

#include "engine/observer.h"
#include "learn/geo/cost_estimator.h"
#include "model/cluster.h"
#include "model/site_signals.h"

namespace penstock {

/// What became of one job, as its reward needs it.
struct JobOutcome {
  bool ended = false;
  bool late = false;
  SiteId site{};
  Time arrived{};  ///< at the site where it ended
  Time started{};
  Time finished{};
  double gpus = 0;
  double money = 0;   ///< beyond what its GPUs would have cost had they been idle
  double carbon = 0;  ///< the same, and for its files
  double transfer = 0;
  double transfer_carbon = 0;  ///< is in `carbon`
  double baseline_money = 0;   ///< had it run on submission, at the mean of all sites
  double baseline_carbon = 0;  ///< the same
};

/// Writes the outcomes of jobs down while a run goes by.
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
  void add_baseline(const JobRecord& record, Joules machines, JobOutcome& fate) const;

  const Cluster& cluster_;
  std::span<const SiteSignals> signals_;
  bool sleeps_;
  std::vector<JobOutcome> runs_;
};

/// What jobs answer for.
enum class RewardScope : std::uint8_t {
  own,   ///< what they cost, and their own lateness
  team,  ///< also the lateness of jobs that waited where they held GPUs, by their share of the GPU
         ///< time held there while those waited
};

/// What each job has cost the utility, in mean jobs, as a reward.
std::vector<double> rewards_of(const std::vector<JobOutcome>& outcomes,
                               const UtilityWeights& weights, const JobScale& scale,
                               RewardScope answer);
/// What each job would have cost as usual, in the same way. Nobody's choices change it: rewards
/// less this tell more clearly what choices were worth.
std::vector<double> baseline_rewards(const std::vector<JobOutcome>& outcomes,
                                     const UtilityWeights& weights, const JobScale& scale);

}  // namespace penstock
