#pragma once

#include <vector>

#include "engine/observer.h"
#include "learn/geo/prospect.h"
#include "model/cluster.h"
#include "model/site_signals.h"

namespace penstock {

/// What became of one job, as its reward needs it.
struct JobFate {
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
};

/// Writes the fates of jobs down while a run goes by.
class FateObserver final : public Observer {
 public:
  /// Idle GPUs are as good as free if nodes sleep, as `sleeps` says. The others must outlive it.
  FateObserver(const Cluster& cluster, std::span<const SiteSignals> signals, bool sleeps)
      : cluster_(cluster), signals_(signals), sleeps_(sleeps) {}

  void before(const Batch& /*b*/, const State& /*s*/, const Ledger& /*l*/) override {}
  void decided(Time /*now*/, const Decision& /*d*/, const State& /*s*/) override {}
  void ended(const JobRecord& record) override;

  /// Indexed by JobId.
  std::vector<JobFate>& fates() { return fates_; }

 private:
  Joules idle_energy(const JobRecord& record) const;

  const Cluster& cluster_;
  std::span<const SiteSignals> signals_;
  bool sleeps_;
  std::vector<JobFate> fates_;
};

/// What each job has cost the utility, in mean jobs, as a reward: never more than 0 but where
/// prices are negative. As a team, a job also answers for the lateness of jobs that waited where
/// it held GPUs, by its share of the GPU time held there while they waited.
std::vector<double> rewards_of(const std::vector<JobFate>& fates, const UtilityWeights& weights,
                               const JobScale& scale, bool team);

}  // namespace penstock
