#pragma once

#include "experiment/workload.h"
#include "report/measures/run_summary.h"
#include "solve/bounds.h"

namespace penstock {

/// All that bounds need to know; refers to both, which must outlive it.
BoundedWorld bounded_world(const Scenario& scenario, const Workload& workload);

/// What no run of the scenario can beat.
Bounds scenario_bounds(const Scenario& scenario, const Workload& workload);

/// What the utility of no run can exceed that preempts no job and takes no longer than `longest`.
/// `run` is any run of the scenario: by its terms it is known what a run with all jobs at home came
/// to. Nothing without a utility.
std::optional<double> most_utility(const Scenario& scenario, const Workload& workload,
                                   const RunSummary& run, Duration longest);

/// Fills in how far a run in which every job ended is from the bounds.
void fill_gaps(RunSummary& run, const Bounds& bounds);

/// Refuses an energy budget for the whole run that no schedule could keep.
Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload);

}  // namespace penstock
