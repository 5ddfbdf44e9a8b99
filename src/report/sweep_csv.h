#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/pareto.h"

namespace penstock {

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
