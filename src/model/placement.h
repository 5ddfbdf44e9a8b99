#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace penstock {

/// `count` consecutive GPUs of one node.
struct GpuRange {
  GpuId first{};
  std::uint32_t count = 0;
  friend bool operator==(const GpuRange&, const GpuRange&) = default;
};

/// The GPUs one job runs on: ranges in increasing order, none crossing a node.
using Placement = std::vector<GpuRange>;

inline std::uint32_t gpu_count(const Placement& where) {
  std::uint32_t count = 0;
  for (const GpuRange& range : where) count += range.count;
  return count;
}

}  // namespace penstock
