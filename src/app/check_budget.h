#pragma once

#include "app/workload.h"
#include "policy/policy_table.h"

namespace penstock {

/// Refuses a budget for the whole run that no schedule could keep.
Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload);

}  // namespace penstock
