#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ordered_tree.h"
#include "base/time.h"

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

}  // namespace penstock
