#pragma once

#include <limits>

#include "learn/net/weights.h"

namespace penstock {

/// How one update of one network went. What was not measured is not a number.
struct CurvePoint {
  static constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

  std::uint64_t member = 0;           ///< which network, of those trained one after another
  std::uint64_t update = 0;           ///< 0: what it knew from its teacher, or nothing
  std::uint64_t decisions = 0;        ///< that it learnt from
  double mean_return = kNotMeasured;  ///< of what was played
  double validation = kNotMeasured;   ///< the same of the likeliest choices, where never trained
  double best = kNotMeasured;         ///< validation so far
  double entropy = kNotMeasured;      ///< nats a decision
  double divergence = kNotMeasured;   ///< of the last step
  double explained = kNotMeasured;    ///< share of the returns' variance that was foreseen
  double agreement = kNotMeasured;    ///< with its teacher, on validation episodes
};

void put_curve(Weights& weights, std::span<const CurvePoint> curve);
/// The same again, bit for bit.
Result<std::vector<CurvePoint>> stored_curve(const Weights& weights);

}  // namespace penstock
