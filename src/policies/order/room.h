#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cluster.h"
#include "policies/order/timeline.h"
#include "policy/place/pool.h"

namespace penstock {

/// What is free now, GPU by GPU, and what will be free later, in numbers: one pool
/// and one timeline for each type of GPU at each site.
class Room {
 public:
  struct Spot {
    std::uint32_t pool = 0;
    Placement where{};
  };
  struct Opening {
    std::uint32_t pool = 0;
    Time start{Time::max()};
  };

  /// Without `plans` only the present is kept, which is all that strict orders need.
  Room(const Cluster& cluster, PlaceRule rule, bool plans);

  /// What is told next happens at `now`.
  void advance(Time now);
  const Pool& pool(std::uint32_t index) const { return pools_[index]; }
  Pool& pool(std::uint32_t index) { return pools_[index]; }
  std::uint32_t pools() const { return static_cast<std::uint32_t>(pools_.size()); }
  std::uint32_t most_free() const;
  /// The pool that a placement lies in.
  std::uint32_t pool_of(const Placement& where) const;
  bool suits(std::uint32_t pool, std::uint64_t gpu_types) const {
    return (gpu_types >> pools_[pool].type().index & 1) != 0;
  }

  /// How long `gpus` of one pool stay free from now on; Time::min() if they are not.
  Time lasts_until(std::uint32_t pool, std::uint32_t gpus) const;
  /// The longest of that over all pools that suit.
  Time lasts_until(std::uint64_t gpu_types, std::uint32_t gpus) const;
  /// The first moment, and the pool, with that many free for that long.
  Opening earliest(std::uint64_t gpu_types, std::uint32_t gpus, Duration length) const;

  /// A job holds `where` from now until it is believed to end.
  void hold(const Spot& spot, Time until);
  /// It left at a moment that was believed to be `until`.
  void leave(std::uint32_t pool, const Placement& where, Time until);
  /// A running job is now believed to end later.
  void extend(std::uint32_t pool, std::uint32_t gpus, Time from, Time to);
  /// Keeps room in the future for a job that waits; `remove` undoes it.
  void reserve(std::uint32_t pool, std::uint32_t gpus, Time from, Duration length);
  void remove(std::uint32_t pool, std::uint32_t gpus, Time from, Duration length);

  void node_down(NodeId node);
  void node_up(NodeId node);

 private:
  void node_changed(NodeId node, bool up);

  const Cluster& cluster_;
  bool plans_;
  Time now_{};
  std::vector<Pool> pools_;
  std::vector<Timeline> timelines_;  ///< indexed like pools_; empty without plans
};

}  // namespace penstock
