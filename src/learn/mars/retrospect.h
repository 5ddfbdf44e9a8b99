#pragma once

#include <map>
#include <optional>
#include <vector>

#include "learn/mars/race.h"

namespace penstock {

struct RetrospectRules {
  std::uint32_t batch = 64;    ///< jobs that come between two reviews, and are compared as one
  std::uint32_t fewest = 6;    ///< batches before anything is concluded
  std::uint32_t longest = 16;  ///< batches after which it begins anew
  double margin = 0.02;        ///< a rival that did better by less than this part is let be
  double certainty = 2;        ///< and one by less than so many standard errors of its gain
};

/// What was done with the jobs of one queue, against what plain strategies would have made of them.
/// After every batch of arrivals it plays all batches again, from who ran and waited when the first
/// began, with the run times that are known by then. Knows nothing that has not happened.
class Retrospect {
 public:
  /// Rivals must outlive it.
  Retrospect(std::vector<const Strategy*> rivals, Reward reward, const RetrospectRules& rules);

  // What happens, in order of time.
  /// Who is ready, before anybody starts at this instant.
  void saw(const QueueWorld& world);
  void started(JobId job, Time when, std::uint32_t gpus);
  void ended(JobId job, Duration run);

  /// The rival that would have done better, surely and by more than the margin; null if none.
  const Strategy* better() const { return better_; }
  /// What the best rival would have come to for each 1 that was paid.
  double share() const { return share_; }
  std::uint32_t reviews() const { return reviews_; }

 private:
  struct Seen {
    Task task{};  ///< as asked; submitted when it became ready
    std::optional<Time> start{};
    std::optional<Duration> run{};
  };
  /// The batches, as they are known now. What each job costs is by its number in the sequence.
  struct Stretch {
    TaskSequence tasks{};
    std::vector<RunningTask> running{};
    std::vector<double> paid{};
  };
  void review(const QueueWorld& world);
  void forget_the_gone(const QueueWorld& world);
  Stretch stretch_until(Time now, std::uint32_t gpus) const;
  void replay(const Stretch& stretch, const Strategy& rival, Time until);
  bool is_surely_better(const std::vector<double>& paid, const std::vector<double>& costs) const;
  void begin_anew(Time now);

  std::vector<const Strategy*> rivals_;
  Reward reward_;
  RetrospectRules rules_;
  QueueWorld scratch_;
  std::vector<double> costs_;  ///< of the last replay
  std::map<JobId, Seen> seen_;
  std::optional<Time> began_{};  ///< the first batch
  std::optional<Time> last_{};   ///< when it saw the queue
  std::uint32_t came_ = 0;       ///< in this batch
  std::uint32_t batches_ = 0;
  const Strategy* better_ = nullptr;
  double share_ = 1;
  std::uint32_t reviews_ = 0;
};

}  // namespace penstock
