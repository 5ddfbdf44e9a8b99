#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiment/sweep/folder.h"
#include "report/files/summary_json.h"
#include "report/measures/pareto.h"

namespace penstock {

/// The points of a sweep that are there, in the order of its plan.
struct MergedSweep {
  SummaryHead head{};  ///< of the first
  std::vector<RunSummary> runs{};
  std::vector<ParetoFront> fronts{};
  std::string summary{};  ///< the text of summary.json; empty if no point is there
};

/// Puts the points that are there together: writes summary.json and sweep.csv into the sweep's
/// folder, unless no point is there.
Result<MergedSweep> merge_simulations(const SweepFolder& folder,
                                      const std::vector<ParetoPair>& pairs);

/// The values that a point sets, by key, in the order of the sweep's `--vary`.
std::vector<std::pair<std::string, std::string>> changes_of(const SweepPlan& plan,
                                                            const SweepPoint& point);

}  // namespace penstock
