#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace penstock {

/// A whole that is made up of parts at different costs, each no larger than it may be; parts are
/// offered one by one.
class CheapestShares {
 public:
  void clear() {
    parts_.clear();
    filled_ = 0;
    sum_ = 0;
  }

  /// `share` of the whole could be had where the whole would come to `cost`, which has an
  /// end.
  void offer(double cost, double share) {
    if (is_whole() && cost >= parts_.front().first) return;
    share = std::min(share, 1.0);
    parts_.emplace_back(cost, share);
    std::ranges::push_heap(parts_);
    sum_ += cost * share;
    filled_ += share;
    while (parts_.size() > 1 && filled_ - parts_.front().second >= 1) drop_dearest();
  }

  bool is_whole() const { return filled_ >= 1 - kExact; }
  /// What the cheapest parts come to; not all of it if the whole is not yet there.
  double cost() const {
    if (parts_.empty()) return 0;
    return sum_ - std::max(0.0, filled_ - 1) * parts_.front().first;
  }

 private:
  static constexpr double kExact = 1e-9;

  void drop_dearest() {
    const auto [cost, share] = parts_.front();
    std::ranges::pop_heap(parts_);
    parts_.pop_back();
    filled_ -= share;
    sum_ -= cost * share;
  }

  std::vector<std::pair<double, double>> parts_;  ///< costs and shares; the dearest in front
  double filled_ = 0;
  double sum_ = 0;
};

}  // namespace penstock
