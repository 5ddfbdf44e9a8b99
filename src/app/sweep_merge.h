#pragma once

#include <span>
#include <string>

#include "app/sweep_folder.h"
#include "report/pareto.h"

namespace penstock {

struct MergeOptions {
  std::vector<ParetoPair> pairs{};
  bool json = false;
  bool report = true;
};

/// Puts the points that are there together: summary.json, sweep.csv and report.html in the sweep's
/// folder, and on stdout the table with its Pareto fronts, or the summary.
Result<Done> merge_simulations(const SweepFolder& folder, const MergeOptions& options);

/// The changes of a point by key, an empty text for what it does not change.
std::vector<std::pair<std::string, std::string>> changes_of(const SweepPlan& plan,
                                                            const SweepPoint& point);

}  // namespace penstock
