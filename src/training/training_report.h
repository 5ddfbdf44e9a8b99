#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "learn/net/training_state.h"

namespace penstock {

/// How a training stands, in numbers and names for people.
struct TrainingReport {
  std::vector<std::string> networks{};  ///< their names, in the order of training
  std::uint32_t updates = 0;            ///< of each, at most
  double reference = 0;                 ///< the return to beat
  std::string baseline{};               ///< whose return that is: "best heuristic"
  std::string measure{};                ///< what minus the return is
  std::vector<CurvePoint> curve{};      ///< so far
};

/// A row for every update, and one for what each network began with.
std::string training_csv(const TrainingReport& report);
/// Minus the return by update, with that of the baseline; a panel for each network.
std::string training_svg(const TrainingReport& report, std::string_view title);
/// The best validation returns of networks, among baselines by return and name, the best first.
std::string training_table(const TrainingReport& report,
                           std::vector<std::pair<double, std::string>> baselines);
/// "rl: -1.231 at first, -1.034 after 40 of 80 updates; ..."
std::string curve_summary(const TrainingReport& report);

/// How fast a training goes.
struct TrainingPace {
  double seconds = 0;
  std::uint64_t decisions = 0;  ///< in that time
  std::size_t updates = 0;      ///< in that time
};
/// One line on the last point of the curve.
std::string progress_text(const TrainingReport& report, const TrainingPace& pace);

/// What a training reached, by its curve.
struct TrainingScore {
  std::size_t networks = 0;
  std::uint64_t updates = 0;  ///< of all networks
  /// Mean returns in validation over networks: before training, of the best, and of the baseline.
  double first = 0;
  double best = 0;
  double reference = 0;

  /// By how much it beats the baseline; more is better.
  double margin() const { return best - reference; }
};

/// The score of the curve that `penstock train` wrote to `file`.
Result<TrainingScore> score_of_curve(std::string_view csv, const std::string& file);

}  // namespace penstock
