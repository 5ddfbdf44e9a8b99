#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

/// The cheapest way to make up a whole of parts, each with a cost and a largest share; parts are
/// offered one by one.
class CheapestShares {
 public:
  struct Part {
    double cost = 0;  ///< for the whole
    double share = 0;
    std::uint32_t id = 0;  ///< what it stands for
  };

  void clear() {
    parts_.clear();
    filled_ = 0;
    sum_ = 0;
  }

  /// Offers a part: at most `share` of the whole, at the price of `cost` for the whole, which is
  /// finite.
  void offer(double cost, double share, std::uint32_t id = 0) {
    if (is_whole() && cost >= parts_.front().cost) return;
    share = std::min(share, 1.0);
    parts_.push_back({cost, share, id});
    std::ranges::push_heap(parts_, {}, &Part::cost);
    sum_ += cost * share;
    filled_ += share;
    while (parts_.size() > 1 && filled_ - parts_.front().share >= 1) drop_dearest();
  }

  bool is_whole() const { return filled_ >= 1 - kExact; }
  /// The total cost of the cheapest parts that fill the whole; of all parts if they do not fill it.
  double cost() const {
    if (parts_.empty()) return 0;
    return sum_ - surplus() * parts_.front().cost;
  }
  /// By how much the parts exceed the whole; the first of them, which costs most, by all of it.
  double surplus() const { return std::max(0.0, filled_ - 1); }
  /// Those that are needed, the dearest in front.
  std::span<const Part> parts() const { return parts_; }

 private:
  static constexpr double kExact = 1e-9;

  void drop_dearest() {
    const Part dearest = parts_.front();
    std::ranges::pop_heap(parts_, {}, &Part::cost);
    parts_.pop_back();
    filled_ -= dearest.share;
    sum_ -= dearest.cost * dearest.share;
  }

  std::vector<Part> parts_;  ///< a heap
  double filled_ = 0;
  double sum_ = 0;
};

}  // namespace penstock
