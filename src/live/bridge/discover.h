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

/// The facts that a cluster reports about itself.
struct ClusterFacts {
  std::string key{};      ///< identifies it among all clusters: "head:6817/east"; empty if unknown
  std::string account{};  ///< as which the bridge submits jobs; empty if unknown
  std::vector<SlurmNode> nodes{};
  std::vector<std::string> partitions{};  ///< only if they were asked for
};

/// Starts a bridge, asks for the facts until it answers, and ends it. Gives up after `timeout`, or
/// when `stops` returns true.
Result<ClusterFacts> discover_cluster(const BridgeLink::Options& bridge,
                                      std::chrono::milliseconds timeout,
                                      const std::function<bool()>& stops);

/// Asks once, without a retry: the error is the message of the bridge or of Slurm.
Result<ClusterFacts> ask_cluster(const BridgeLink::Options& bridge,
                                 std::chrono::milliseconds timeout);

/// Sends one request and waits for its answer; an error if there is none.
Result<nlohmann::json> ask_once(BridgeLink& link, const bridge::Command& command,
                                std::chrono::milliseconds timeout);

}  // namespace penstock
