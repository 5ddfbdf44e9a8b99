#pragma once

#include "app/workload.h"
#include "report/run_summary.h"
#include "solve/bounds.h"

namespace penstock {

/// All that bounds need to know; refers to both, which must outlive it.
BoundedWorld bounded_world(const Scenario& scenario, const Workload& workload);

/// What no run of the scenario can beat.
Bounds scenario_bounds(const Scenario& scenario, const Workload& workload);

/// Tells how far a run in which every job ended is from the bounds.
void fill_gaps(RunSummary& run, const Bounds& bounds);

}  // namespace penstock
