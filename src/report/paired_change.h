#pragma once

#include <span>

namespace penstock {

/// How much smaller or larger one method's values are than another's on the same occasions, as
/// parts: -0.1 is ten percent less.
struct PairedChange {
  double of_mean = 0;    ///< mean by mean
  double low = 0;        ///< 95 % interval of `of_mean`: occasions drawn anew, in pairs
  double high = 0;       ///< the same as `low` and `of_mean` if there is one occasion only
  double of_middle = 0;  ///< geometric mean of the ratios: what a typical occasion sees
};

/// Both have as many values, at least one, all above 0. The draws are seeded: same values, same
/// interval.
PairedChange paired_change(std::span<const double> ours, std::span<const double> theirs);

}  // namespace penstock
