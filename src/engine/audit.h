#pragma once

#include <optional>

#include "base/paged_table.h"
#include "engine/backend.h"
#include "engine/ledger.h"
#include "model/models.h"

namespace penstock {

/// Holds beliefs against bills: what jobs would have cost, had each got on and drawn as was
/// believed whenever a stretch of its running began, and had its user been right about its work.
/// Prices, neighbours and what was lost to failures are as they turned out (docs/models.md).
/// Jobs without a kind take no part: nothing is believed of them.
class Audit {
 public:
  /// Both must outlive it.
  Audit(const Cluster& cluster, const Ledger& ledger) : cluster_(cluster), ledger_(ledger) {}

  /// A job begins to run as `job` shows; it really does so at `pace`.
  void begin(const JobState& job, Time now, const Pace& pace, const Models& believed);
  /// In its present stretch a job drew this on average, and is billed for it.
  void drew(JobId job, Watts draw);
  /// By the end of its present stretch a job really got there.
  void got_to(JobId job, const JobMeasured::Progress& progress);
  /// The stretch that began last is over, and billed.
  void end(JobId job, Time now);
  /// Of the work of its last run, a job keeps no more than this.
  void keep(JobId job, Work kept);
  /// What the energy and the rent of an ended job were predicted to cost; forgets it.
  std::optional<Money> take(const Job& job);

 private:
  /// For as long as a job runs in one way.
  struct Stretch {
    Time begun{};
    Time work_begins{};
    Speed speed{};          ///< as it is
    Watts draw{};           ///< the same
    double time_ratio = 1;  ///< believed over true, of the time that work takes
    double draw_ratio = 1;  ///< the same of the draw
    JobCost billed{};       ///< before
  };
  /// The working part of a stretch.
  struct Worked {
    Money cost{};  ///< predicted
    Work work{};
    Speed speed{};
  };
  struct Account {
    Stretch stretch{};
    Money predicted{};
    Work done{};           ///< until the present stretch
    Work saved{};          ///< until the present run
    Worked last{};         ///< of the stretches that had such a part
    bool believed = true;  ///< something was, of every stretch
  };

  const Cluster& cluster_;
  const Ledger& ledger_;
  PagedTable<Account> jobs_;  ///< those of a kind that have started
};

}  // namespace penstock
