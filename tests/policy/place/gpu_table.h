#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/cluster.h"
#include "model/placement.h"

namespace penstock {

/// True if all GPUs of `part` belong to `whole`.
inline bool is_part(const Placement& part, const Placement& whole) {
  return std::ranges::all_of(part, [&](const GpuRange& p) {
    return std::ranges::any_of(whole, [&](const GpuRange& w) {
      return w.first <= p.first && p.first.index + p.count <= w.first.index + w.count;
    });
  });
}

/// Who holds which GPU and which nodes are up, and answers found by looking at everything.
class GpuTable {
 public:
  static constexpr std::uint32_t kNobody = ~0u;

  explicit GpuTable(const Cluster& cluster)
      : cluster_(cluster), holder_(cluster.gpu_count(), kNobody), up_(cluster.nodes.size(), true) {}

  bool usable(std::uint32_t gpu) const {
    return holder_[gpu] == kNobody && up_[cluster_.node_of[gpu].index];
  }
  bool usable(const Node& node, std::uint32_t offset, std::uint32_t count) const {
    if (offset + count > node.gpus) return false;
    for (std::uint32_t i = 0; i < count; ++i)
      if (!usable(node.first.index + offset + i)) return false;
    return true;
  }
  std::uint32_t free_on(const Node& node) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < node.gpus; ++i) count += usable(node.first.index + i) ? 1 : 0;
    return count;
  }
  std::uint32_t free() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < holder_.size(); ++i) count += usable(i) ? 1 : 0;
    return count;
  }
  bool idle(const Node& node) const { return free_on(node) == node.gpus; }
  /// Of the block of 2^k GPUs at `offset`: the largest free block it is in, or 0.
  std::uint32_t maximal(const Node& node, std::uint32_t offset, std::uint32_t size) const {
    if (!usable(node, offset, size)) return 0;
    while (usable(node, offset & ~(2 * size - 1), 2 * size)) size *= 2;
    return size;
  }
  /// The best that buddy allocation can do for a job no larger than a node.
  struct Choice {
    std::uint32_t block = kNobody;  ///< the smallest maximal free block that holds it
    std::uint32_t free = kNobody;   ///< the fewest free GPUs of a node that has such a block
    friend auto operator<=>(const Choice&, const Choice&) = default;
  };
  Choice best(std::uint32_t gpus) const {
    Choice best;
    const std::uint32_t size = std::bit_ceil(gpus);
    for (const Node& node : cluster_.nodes)
      for (std::uint32_t at = 0; at + size <= node.gpus; at += size)
        if (const std::uint32_t block = maximal(node, at, size); block > 0)
          best = std::min(best, Choice{block, free_on(node)});
    return best;
  }
  /// Idle nodes under each switch, the most first.
  std::vector<std::uint32_t> idle_by_rack() const {
    std::vector<std::uint32_t> racks(cluster_.racks, 0);
    for (const Node& node : cluster_.nodes) racks[node.rack.index] += idle(node) ? 1 : 0;
    std::ranges::sort(racks, std::ranges::greater{});
    return racks;
  }

  void set(const Placement& where, std::uint32_t holder) {
    for (const GpuRange& range : where)
      for (std::uint32_t i = 0; i < range.count; ++i) holder_[range.first.index + i] = holder;
  }
  void set_up(std::uint32_t node, bool up) { up_[node] = up; }
  bool up(std::uint32_t node) const { return up_[node]; }
  std::uint32_t holder(std::uint32_t gpu) const { return holder_[gpu]; }

 private:
  const Cluster& cluster_;
  std::vector<std::uint32_t> holder_;  ///< indexed by GpuId
  std::vector<bool> up_;               ///< indexed by NodeId
};

}  // namespace penstock
