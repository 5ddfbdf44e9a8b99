#pragma once

#include "app/workload.h"
#include "report/run_summary.h"
#include "solve/bounds.h"

namespace penstock {

/// What no run of the scenario can beat.
Bounds scenario_bounds(const Scenario& scenario, const Workload& workload);

/// Tells how far a run in which every job ended is from the bounds.
void fill_gaps(RunSummary& run, const Bounds& bounds);

}  // namespace penstock
