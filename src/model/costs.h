#pragma once

#include <optional>

#include "base/ids.h"
#include "base/time.h"

namespace penstock {

/// How long starts, restarts and waking take, and when idle nodes go to sleep.
struct Costs {
  Duration start{};  ///< from the order to start a job until it works, at every start
  Duration restart =
      std::chrono::seconds(30);              ///< before work goes on after a preemption or a loss
  Duration wake = std::chrono::seconds(90);  ///< before a sleeping node can work
  std::optional<Duration> sleep_after{};     ///< idle nodes sleep after this long; never if absent

  /// Before a job works that is started, for the first time or again.
  Duration before_work(bool again) const { return again ? start + restart : start; }
};

/// What happens to a job whose real run time exceeds what it asked for.
enum class OverRequest { kill, extend };

/// Random breakdowns of nodes, exponential in both times.
struct Failures {
  Duration mtbf{};        ///< mean time between failures of one node
  Duration mttr{};        ///< mean time to repair
  Duration checkpoint{};  ///< a lost job resumes from its last whole interval; 0 loses nothing
};

/// An unannounced period in which all nodes of a site are down.
struct Outage {
  SiteId site{};
  Time from{};
  Time until{};
};

/// What counts across sites: utilisation, less what it costs relative to jobs that stay at home.
struct UtilityWeights {
  double utilization = 1;
  double cost = 0.5;
  double carbon = 0.5;
  double transfer = 0.1;
  double late = 1;
  friend bool operator==(const UtilityWeights&, const UtilityWeights&) = default;
};

}  // namespace penstock
