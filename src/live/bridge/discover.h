#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "live/bridge/bridge_link.h"
#include "live/job/slurm_records.h"

namespace penstock {

/// What a cluster says of itself.
struct ClusterFacts {
  std::string key{};      ///< names it among all clusters: "head:6817/east"; empty if nobody says
  std::string account{};  ///< as which the bridge submits jobs; empty if nobody says
  std::vector<SlurmNode> nodes{};
  std::vector<std::string> partitions{};  ///< only if they were asked for
};

/// Asks by a bridge that is started for this alone. Gives up after `patience`, or when `stops` says
/// so.
Result<ClusterFacts> discover_cluster(const BridgeLink::Options& bridge,
                                      std::chrono::milliseconds patience,
                                      const std::function<bool()>& stops);

/// Asks once, and waits for no better times: the error is the bridge's or Slurm's own word.
Result<ClusterFacts> ask_cluster(const BridgeLink::Options& bridge,
                                 std::chrono::milliseconds patience);

/// The answer to one request, whatever it is; an error if there is none.
Result<nlohmann::json> ask_once(BridgeLink& link, const bridge::Command& command,
                                std::chrono::milliseconds patience);

}  // namespace penstock
