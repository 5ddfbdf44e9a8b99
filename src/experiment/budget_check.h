#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace penstock {

/// The energy that a policy may use in the whole run, if it has such a budget.
std::optional<Joules> run_budget(const PolicyChoice& policy);

/// Refuses an energy budget for the whole run that no schedule could keep.
Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload);

/// One line for each run of an experiment whose budget for the whole run is too small for its
/// policy: what the policy needs at its thriftiest, and what is possible instead. A budget that is
/// less than twice the least energy of any scheduler is tried: the policy runs once as thriftily as
/// it can. Runs that fail are passed over.
std::vector<std::string> short_budgets(const Experiment& experiment, unsigned threads);

}  // namespace penstock
