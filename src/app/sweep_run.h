#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/sweep_folder.h"

namespace penstock {

/// Runs one point, and returns the text of its summary.json. Called from several threads.
using RunPoint = std::function<Result<std::string>(std::size_t point)>;

struct SweepRunOptions {
  unsigned threads = 1;
  bool progress = true;
};

/// Runs these points, several at a time, and stores each as it ends. Why a point failed is noted
/// in its folder; the others go on.
Result<Done> run_points(const SweepFolder& folder, const std::vector<std::size_t>& points,
                        const RunPoint& run, const SweepRunOptions& options);

/// Simulates points. A combination's jobs are read when its first point is run, and given up after
/// the last of `points`. What is given must outlive it.
RunPoint simulate_points(const SweepPlan& plan, const BatchRequest& request,
                         const std::vector<std::size_t>& points);

}  // namespace penstock
