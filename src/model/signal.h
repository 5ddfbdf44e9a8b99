#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock {

/// A quantity that changes in steps over time: a price, a carbon intensity, a
/// power cap. The first value also holds before its start, the last for ever.
/// Integrals are exact: differences of prefix sums.
template <class Q>
class Signal {
 public:
  struct Step {
    Time from{};
    Q value{};
  };

  /// `steps` must not be empty and must be strictly increasing in time.
  explicit Signal(std::vector<Step> steps) : steps_(std::move(steps)) {
    PENSTOCK_CHECK(!steps_.empty());
    sums_.reserve(steps_.size());
    double sum = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i > 0) {
        PENSTOCK_CHECK(steps_[i - 1].from < steps_[i].from);
        sum += steps_[i - 1].value.value() * seconds(steps_[i].from - steps_[i - 1].from);
      }
      sums_.push_back(sum);
    }
  }

  static Signal constant(Q value) { return Signal({{Time{}, value}}); }

  std::span<const Step> steps() const { return steps_; }

  Q at(Time t) const { return steps_[index_at(t)].value; }

  /// Value times seconds over [from, to), exact. Nothing is added up that is taken off again, so a
  /// moment is as exact as a year.
  double integral(Time from, Time to) const {
    if (to < from) return -integral(to, from);
    const std::size_t first = index_at(from);
    const std::size_t last = index_at(to);
    if (first == last) return over(first, from, to);
    return over(first, from, steps_[first + 1].from) + (sums_[last] - sums_[first + 1]) +
           over(last, steps_[last].from, to);
  }

  /// The exact time-average over [from, to); the value at `from` if that is empty.
  Q mean(Time from, Time to) const {
    if (from >= to) return at(from);
    const std::size_t first = index_at(from);
    if (first == index_at(to)) return steps_[first].value;
    return Q(integral(from, to) / seconds(to - from));
  }

 private:
  std::size_t index_at(Time t) const {
    const auto after = std::ranges::upper_bound(steps_, t, {}, &Step::from);
    return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
  }
  double over(std::size_t step, Time from, Time to) const {
    return steps_[step].value.value() * seconds(to - from);
  }

  std::vector<Step> steps_;
  std::vector<double> sums_;  ///< integral from the first step to step i
};

}  // namespace penstock
