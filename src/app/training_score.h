#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// What a training reached, as its curve tells.
struct TrainingScore {
  std::size_t networks = 0;
  std::uint64_t updates = 0;  ///< of all networks
  /// Mean returns in validation over networks: before training, of the best, and of the rival.
  double first = 0;
  double best = 0;
  double reference = 0;

  /// By how much it beats the rival; more is better.
  double margin() const { return best - reference; }
};

/// Of the curve that `penstock train` wrote.
Result<TrainingScore> score_of_curve(std::string_view csv, const std::string& file);

}  // namespace penstock
