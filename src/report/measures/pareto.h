#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/measures/run_summary.h"

namespace penstock {

/// Two measures to be good in at once.
struct ParetoPair {
  const SummaryMeasure<RunSummary>* x = nullptr;
  const SummaryMeasure<RunSummary>* y = nullptr;

  /// "energy_kwh x jct_mean_s".
  std::string name() const;
};

/// "energy_kwh,jct_mean_s". The error lists the measures that there are.
Result<ParetoPair> parse_pair(std::string_view text);

/// energy_kwh x jct_mean_s, total_cost x tardiness_mean_s, carbon_kg x wait_mean_s.
std::vector<ParetoPair> usual_pairs();

/// Whether each run is on the front of a pair: no other is at least as good in both and better in
/// one. Runs without one of the two values are not. Of equal runs all are or none.
std::vector<bool> pareto_front(std::span<const RunSummary> runs, const ParetoPair& pair);

/// What tells a point of a sweep from the others, for the first columns: all points have the same
/// names in the same order.
using PointColumns = std::vector<std::pair<std::string, std::string>>;

/// A pair and who is on its front.
struct ParetoFront {
  ParetoPair pair{};
  std::vector<bool> on_front{};

  std::size_t size() const;
};

/// The fronts of those pairs that some run has both values of.
std::vector<ParetoFront> fronts_of(std::span<const RunSummary> runs,
                                   std::span<const ParetoPair> pairs);

/// One row for each run: its point, every measure by its name in summary.json, and for each front
/// a column `pareto_X_Y` with 1 or 0, which is empty where a value is undefined.
std::string sweep_csv(std::span<const PointColumns> points, std::span<const RunSummary> runs,
                      std::span<const ParetoFront> fronts);

/// "a", "ac", ...: the fronts each run is on, the first as "a". "-" if on none.
std::vector<std::string> front_marks(std::size_t runs, std::span<const ParetoFront> fronts);

/// What the letters mean, one line each.
std::string front_legend(std::span<const ParetoFront> fronts);

}  // namespace penstock
