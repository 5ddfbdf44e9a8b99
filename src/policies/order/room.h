#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/ordered_tree.h"
#include "base/time.h"
#include "model/cluster.h"
#include "model/state.h"
#include "policy/place/pool.h"

namespace penstock {

/// How many GPUs of a pool will be free from now on, as far as is known: a step
/// function kept as changes in a tree of prefix sums, so that the next moment with
/// enough or too few of them is found in logarithmic time.
class Timeline {
 public:
  explicit Timeline(std::int64_t free) : now_free_(free) {}

  /// Forgets what lies before `now`.
  void advance(Time now);

  /// Adds `gpus` (or takes them, if negative) from `from` on.
  void change(Time from, std::int64_t gpus);
  void occupy(Time from, Time to, std::int64_t gpus) {
    change(from, -gpus);
    change(to, gpus);
  }
  void vacate(Time from, Time to, std::int64_t gpus) { occupy(from, to, -gpus); }

  std::int64_t free_now() const { return now_free_; }
  /// The first moment not before `from` with fewer than `gpus` free; Time::max() if none.
  Time first_below(std::int64_t gpus, Time from) const;
  /// The first moment from which `gpus` are free for `length`; Time::max() if never.
  Time earliest_fit(std::int64_t gpus, Duration length) const;

 private:
  struct Sums {
    std::int64_t total = 0;
    std::int64_t least = 0;  ///< of all non-empty prefixes
    std::int64_t most = 0;
    bool any = false;
    static Sums of(Time /*at*/, std::int64_t change) { return {change, change, change, true}; }
    static Sums join(const Sums& a, const Sums& b) {
      if (!a.any) return b;
      if (!b.any) return a;
      return {a.total + b.total, std::min(a.least, a.total + b.least),
              std::max(a.most, a.total + b.most), true};
    }
  };
  std::int64_t free_at(Time t) const;
  Time first_at_least(std::int64_t gpus, Time from) const;

  Time now_{Time::min()};
  std::int64_t now_free_;
  OrderedTree<Time, std::int64_t, Sums> changes_;  ///< all after `now_`
};

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

  /// Moves to the present instant.
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
  /// A job left its GPUs; it was believed to end at `until`.
  void leave(std::uint32_t pool, const Placement& where, Time until);
  /// A running job is now believed to end later.
  void extend(std::uint32_t pool, std::uint32_t gpus, Time from, Time to);
  /// Reserves room in the future for a job that waits; remove() undoes it.
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

/// The nodes of a pool to keep clear for a job that finds enough GPUs free but
/// scattered: those on which it could start soonest, going by when running jobs
/// are believed to end.
std::vector<NodeId> nodes_to_drain(const State& state, const Pool& pool, std::uint32_t gpus,
                                   const std::function<Time(JobId)>& believed_end);

}  // namespace penstock
