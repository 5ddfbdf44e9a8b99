#pragma once

#include <string>
#include <utility>
#include <vector>

#include "learn/net/training_state.h"

namespace penstock {

/// A training, as people are told of it.
struct TrainingStory {
  std::vector<std::string> networks{};  ///< their names, in the order of training
  std::uint32_t updates = 0;            ///< of each, at most
  double reference = 0;                 ///< the return to beat
  std::string rival{};                  ///< whose it is: "best heuristic"
  std::string measure{};                ///< what minus the return is
  std::vector<CurvePoint> curve{};      ///< so far
};

/// A row for every update, and one for what each network began with.
std::string training_csv(const TrainingStory& story);
/// What is to be low, by update, and the rival's; a panel for each network.
std::string training_svg(const TrainingStory& story, std::string_view title);
/// What networks that are finished reached, among rivals by return and name, the best first.
std::string training_table(const TrainingStory& story,
                           std::vector<std::pair<double, std::string>> rivals);
/// "rl: -1.231 at first, -1.034 after 40 of 80 updates; ..."
std::string curve_summary(const TrainingStory& story);

/// How fast it goes.
struct TrainingPace {
  double seconds = 0;
  std::uint64_t decisions = 0;  ///< in that time
  std::size_t updates = 0;      ///< in that time
};
/// One line on the last point of the curve.
std::string progress_text(const TrainingStory& story, const TrainingPace& pace);

}  // namespace penstock
