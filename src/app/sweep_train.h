#pragma once

#include <string>

#include "experiment/sweep/sweep.h"

namespace penstock {

/// A whole `penstock train` for each point, in a process of its own; what was begun goes on from
/// its checkpoint. `request` must outlive the plan.
Result<PlannedSweep> plan_trainings(const SweepRequest& request);

/// Puts the trainings that are there together: writes summary.json and sweep.csv into the sweep's
/// folder. Returns the text of summary.json, or a table for people; empty if no training is there.
Result<std::string> merge_trainings(const SweepFolder& folder, bool json);

}  // namespace penstock
