#pragma once

#include <map>
#include <optional>
#include <vector>

#include "learn/queue/strategy.h"

namespace penstock {

struct ReplayGuardRules {
  std::uint32_t batch = 64;    ///< jobs that come between two reviews, and are compared as one
  std::uint32_t fewest = 6;    ///< batches before anything is concluded
  std::uint32_t longest = 16;  ///< batches after which it starts over
  double margin = 0.02;        ///< a baseline must be better by this part
  double certainty = 2;        ///< and by so many standard errors of its gain
};

/// Compares the real results of one queue with what simple strategies would have achieved. After
/// every batch of arrivals it plays all batches again under each baseline, from the jobs that ran
/// and waited when the first batch began, with the run times that are known by then.
class ReplayGuard {
 public:
  /// Baselines must outlive it.
  ReplayGuard(std::vector<const Strategy*> baselines, Reward reward, const ReplayGuardRules& rules);

  // What happens, in order of time.
  /// The ready jobs, before any starts at this instant.
  void on_ready(const QueueWorld& world);
  void on_started(JobId job, Time when, std::uint32_t gpus);
  void on_ended(JobId job, Duration run);

  /// The baseline that would have done better, surely and by more than the margin; null if none.
  const Strategy* better() const { return better_; }
  /// The cost of the best baseline over the cost of what was done.
  double share() const { return share_; }

 private:
  struct Seen {
    Task task{};  ///< as asked; submitted when it became ready
    std::optional<Time> start{};
    std::optional<Duration> run{};
  };
  /// The batches, as they are known now. What each job costs is by its number in the sequence.
  struct Period {
    TaskSequence tasks{};
    std::vector<RunningTask> running{};
    std::vector<double> paid{};
  };
  void review(const QueueWorld& world);
  void drop_departed(const QueueWorld& world);
  Period period_until(Time now, std::uint32_t gpus) const;
  void replay(const Period& period, const Strategy& baseline, Time until);
  bool is_surely_better(const std::vector<double>& paid, const std::vector<double>& costs) const;
  void restart(Time now);

  std::vector<const Strategy*> baselines_;
  Reward reward_;
  ReplayGuardRules rules_;
  QueueWorld scratch_;
  std::vector<double> costs_;  ///< of the last replay
  std::map<JobId, Seen> seen_;
  std::optional<Time> began_{};  ///< the first batch
  std::optional<Time> last_{};   ///< when it saw the queue
  std::uint32_t came_ = 0;       ///< in this batch
  std::uint32_t batches_ = 0;
  const Strategy* better_ = nullptr;
  double share_ = 1;
};

}  // namespace penstock
