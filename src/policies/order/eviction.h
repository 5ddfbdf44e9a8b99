#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/ordered_tree.h"
#include "model/placement.h"
#include "model/state.h"
#include "policy/place/pool.h"

namespace penstock {

/// The running jobs of each pool in the order of preemption, the first victim last.
class Victims {
 public:
  struct Rank {
    std::int64_t value = 0;  ///< larger goes first
    std::uint32_t id = 0;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

  explicit Victims(std::uint32_t pools) : pools_(pools) {}

  void insert(std::uint32_t pool, Rank rank, std::uint32_t gpus) {
    pools_[pool].insert(rank, gpus);
  }
  void erase(std::uint32_t pool, Rank rank) { pools_[pool].erase(rank); }

  /// GPUs held by jobs of a rank above `value`.
  std::uint32_t gpus_above(std::uint32_t pool, std::int64_t value) const {
    const Tree& tree = pools_[pool];
    return tree.summary().gpus - tree.up_to(Rank{value, ~0u}).gpus;
  }
  /// The worst job of a rank above `value` and below `before` (any, if null), or null.
  const Rank* worst(std::uint32_t pool, std::int64_t value, const Rank* before) const {
    const auto* entry = before == nullptr ? pools_[pool].last() : pools_[pool].before(*before);
    return entry == nullptr || entry->key.value <= value ? nullptr : &entry->key;
  }

 private:
  struct Sum {
    std::uint32_t gpus = 0;
    static Sum of(const Rank& /*rank*/, std::uint32_t gpus) { return {gpus}; }
    static Sum join(const Sum& a, const Sum& b) { return {a.gpus + b.gpus}; }
  };
  using Tree = OrderedTree<Rank, std::uint32_t, Sum>;
  std::vector<Tree> pools_;
};

/// The jobs to stop so that a job can be placed, and where it then goes; `where` is empty if that
/// does not help.
struct Eviction {
  std::vector<JobId> victims{};
  Placement where{};
};

/// Stops running jobs of a pool, in the order of `next_victim`, until a job of `gpus` can be placed
/// or there is no further victim; then spares those that are not in the way after all. The pool is
/// changed on the way, and left as it was.
Eviction find_eviction(Pool& pool, std::uint32_t gpus, const State& state,
                       const std::function<std::optional<JobId>()>& next_victim);

}  // namespace penstock
