#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace penstock {

/// Something by the hour that changes in steps of equal length from hour 0 on.
class MpcRate {
 public:
  MpcRate() = default;
  /// `beyond` holds after the last step.
  MpcRate(double step, std::vector<double> rates, double beyond)
      : step_(step), rates_(std::move(rates)), beyond_(beyond) {
    sums_.reserve(rates_.size() + 1);
    for (const double rate : rates_) sums_.push_back(sums_.back() + rate * step_);
  }

  /// The integral over hours; neither may be below 0.
  double between(double from, double to) const { return until(to) - until(from); }

 private:
  double until(double hour) const {
    const auto at = static_cast<std::size_t>(hour / step_);
    if (at >= rates_.size())
      return sums_.back() + beyond_ * (hour - step_ * static_cast<double>(rates_.size()));
    return sums_[at] + rates_[at] * (hour - step_ * static_cast<double>(at));
  }

  double step_ = 1;
  std::vector<double> rates_;
  double beyond_ = 0;
  std::vector<double> sums_{0.0};  ///< until step i
};

}  // namespace penstock
