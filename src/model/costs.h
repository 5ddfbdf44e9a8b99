#pragma once

#include <optional>

#include "base/ids.h"
#include "base/time.h"

namespace penstock {

/// What changing one's mind costs, and what the machines do by themselves.
struct Costs {
  Duration start{};  ///< from the word that a job shall start until it does, whenever it starts
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

/// All nodes of a site are down for a while, and nobody knew before.
struct Outage {
  SiteId site{};
  Time from{};
  Time until{};
};

}  // namespace penstock
