#pragma once

#include <string>

#include "learn/mars/trainer.h"

namespace penstock {

/// A row for every update, and one for what each network began with.
std::string training_csv(const Trainer& trainer);
/// Cost over the best heuristic's in hindsight by update, a panel for each network, and entropy.
std::string training_svg(const Trainer& trainer, std::string_view title);
/// What the networks reached, against every heuristic on the same validation episodes.
std::string training_text(const Trainer& trainer);
/// "rl: -1.231 begun, -1.034 best after 40 updates; ..."
std::string curve_summary(const Trainer& trainer);

/// How fast it goes.
struct TrainingPace {
  double seconds = 0;
  std::uint64_t decisions = 0;  ///< in that time
  std::size_t updates = 0;      ///< in that time
};
/// One line on the last point of the curve.
std::string progress_text(const Trainer& trainer, const TrainingPace& pace);

}  // namespace penstock
