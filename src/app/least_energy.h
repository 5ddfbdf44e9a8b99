#pragma once

#include "app/workload.h"
#include "policy/registry.h"

namespace penstock {

/// What the GPUs need at least to do all the work of a trace, each job in its thriftiest way
/// and cooling not counted: a lower bound on any run. Nothing for generated jobs.
/// Not to be used where nodes have tables of power, with which no budget is kept.
std::optional<Joules> least_energy(const Scenario& scenario, const Workload& workload);

/// Refuses a budget for the whole run that no schedule could keep.
Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload);

}  // namespace penstock
