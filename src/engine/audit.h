#pragma once

#include <optional>

#include "base/paged_table.h"
#include "engine/backend.h"
#include "engine/ledger.h"
#include "model/models.h"

namespace penstock {

/// Predicts what jobs would have cost if speed and draw had been as believed at the beginning of
/// each stretch, and the work as its user stated. Prices, neighbours and losses to failures are the
/// real ones (docs/models.md). Jobs without a kind are left out: nothing is believed of them.
class Audit {
 public:
  /// Both must outlive it.
  Audit(const Cluster& cluster, const Ledger& ledger) : cluster_(cluster), ledger_(ledger) {}

  /// A job begins to run as `job` shows, really at `pace`.
  void begin(const JobState& job, Time now, const Pace& pace, const Models& believed);
  /// In its present stretch a job drew this on average, and was billed for it.
  void drew(JobId job, Watts draw);
  /// The progress that a job really had at the end of its present stretch.
  void got_to(JobId job, const JobMeasured::Progress& progress);
  /// The stretch that began last is over, and billed.
  void end(JobId job, Time now);
  /// A job keeps only this part of the work of its last run.
  void keep(JobId job, Work kept);
  /// What the energy and the rent of an ended job were predicted to cost; forgets it.
  std::optional<Money> take(const Job& job);

 private:
  /// The present stretch of a job, as it is and as it was predicted.
  struct Segment {
    Time begun{};
    Time work_begins{};
    Speed speed{};          ///< as it is
    Watts draw{};           ///< the same
    double time_ratio = 1;  ///< believed over true, of the time that work takes
    double draw_ratio = 1;  ///< believed over true, of the draw
    JobCost billed{};       ///< before
  };
  /// The working part of a stretch.
  struct Worked {
    Money cost{};  ///< predicted
    Work work{};
    Speed speed{};
  };
  struct Account {
    Segment segment{};
    Money predicted{};
    Work done{};           ///< until the present stretch
    Work saved{};          ///< until the present run
    Worked last{};         ///< of the stretches that had such a part
    bool believed = true;  ///< every stretch had a believed model
  };

  const Cluster& cluster_;
  const Ledger& ledger_;
  PagedTable<Account> jobs_;  ///< those of a kind that have started
};

}  // namespace penstock
