#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "live/bridge_link.h"
#include "live/records.h"

namespace penstock {

/// The nodes of a cluster, by a bridge that is started for this alone. Gives up after `patience`,
/// or when `stops` says so.
Result<std::vector<SlurmNode>> discover_nodes(const BridgeLink::Options& bridge,
                                              std::chrono::milliseconds patience,
                                              const std::function<bool()>& stops);

}  // namespace penstock
