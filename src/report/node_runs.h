#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cluster.h"

namespace penstock {

/// Like nodes that follow each other: so many of them, under switches of so many each (the last
/// may have fewer).
struct NodeRun {
  std::uint32_t nodes = 0;
  std::uint32_t gpus = 0;  ///< of each
  std::string type{};
  std::uint32_t per_rack = 0;
  friend bool operator==(const NodeRun&, const NodeRun&) = default;
};

/// The nodes of a site in order, in as few runs as say it.
std::vector<NodeRun> node_runs(const Cluster& cluster, SiteId site);

}  // namespace penstock
