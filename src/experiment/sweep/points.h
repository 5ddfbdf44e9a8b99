#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "experiment/progress.h"
#include "experiment/sweep/folder.h"

namespace penstock {

/// Runs one point, and returns the text of its summary.json. Called from several threads.
using RunPoint = std::function<Result<std::string>(std::size_t point)>;

/// The caller's callbacks for a sweep, and how to end it early; each may be absent.
struct SweepHooks {
  ProgressCallback progress{};  ///< points that have ended
  NoteCallback note{};          ///< called from any thread
  std::stop_token stop{};       ///< no further point is begun, which is an error
};

/// Runs these points, several at a time, and stores each as it ends. Why a point failed is noted
/// in its folder; the others go on.
Result<Done> run_points(const SweepFolder& folder, const std::vector<std::size_t>& points,
                        const RunPoint& run, unsigned threads, const SweepHooks& hooks);

/// Simulates points. A combination's jobs are read when its first point is run, and freed after the
/// last of `points`. Notes on the jobs of the first combination that is read go to `note`. All
/// arguments must outlive it.
RunPoint simulate_points(const SweepPlan& plan, const ExperimentSpec& spec,
                         const std::vector<std::size_t>& points, const NoteCallback& note);

}  // namespace penstock
