#pragma once

#include "experiment/workload.h"
#include "report/measures/run_summary.h"
#include "solve/bounds.h"
#include "solve/budget_bound.h"

namespace penstock {

/// All that bounds need to know; refers to both, which must outlive it.
BoundedWorld bounded_world(const Scenario& scenario, const Workload& workload);

/// Bounds that no run of the scenario can beat.
Bounds scenario_bounds(const Scenario& scenario, const Workload& workload);

/// The least mean completion time for any budget of energy.
BudgetBound scenario_budget_bound(const Scenario& scenario, const Workload& workload);

/// An upper bound on the utility of all runs that preempt no job and take no longer than `longest`.
/// `run` is any run of the scenario: its terms show what the reference run with all jobs at home
/// cost. Nothing if the run has no utility.
std::optional<double> most_utility(const Scenario& scenario, const Workload& workload,
                                   const RunSummary& run, Duration longest);

/// Fills in how far a run in which every job ended is from the bounds.
void fill_gaps(RunSummary& run, const Bounds& bounds);

}  // namespace penstock
