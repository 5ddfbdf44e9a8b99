#include "report/spread.h"

#include <array>
#include <cmath>

namespace penstock {

Spread spread_of(std::span<const double> values) {
  // Student's t, two-sided 95 %, by degrees of freedom.
  constexpr std::array kT{0.0,   12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                          2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
  Spread spread;
  const auto count = static_cast<double>(values.size());
  if (values.empty()) return spread;
  for (const double value : values) spread.mean += value / count;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - spread.mean, 2);
  const double t = values.size() - 1 < kT.size() ? kT[values.size() - 1] : 1.96 + 2.4 / count;
  spread.half = t * std::sqrt(squares / (count - 1) / count);
  return spread;
}

}  // namespace penstock
