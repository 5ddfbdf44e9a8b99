#pragma once

#include <span>

namespace penstock {

/// A mean and half the width of its 95 % confidence interval by Student's t; 0 for fewer than two.
struct Spread {
  double mean = 0;
  double half = 0;
};

Spread spread_of(std::span<const double> values);

}  // namespace penstock
