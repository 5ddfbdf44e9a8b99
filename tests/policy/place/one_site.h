#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.h"
#include "model/placement.h"

namespace penstock {

/// One site with GPUs of one type.
inline Cluster cluster_of(const std::vector<NodeGroup>& groups) {
  Cluster cluster;
  cluster.types.resize(1);
  add_site(cluster, "here", groups);
  return cluster;
}

inline Placement gpus(std::uint32_t first, std::uint32_t count) {
  return {{GpuId{first}, count}};
}

}  // namespace penstock
