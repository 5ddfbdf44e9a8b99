#pragma once

#include "policies/geo/router.h"
#include "policy/policy_table.h"

namespace penstock {

/// Around a router, lets jobs wait for better hours as the option `wait` says; the router itself
/// if that is none.
Result<std::unique_ptr<Router>> make_waiting(const PolicySetting& setting, const Options& options,
                                             std::unique_ptr<Router> router);

/// When a job must be sent so that it ends in time were it to start at once: by its deadline, or
/// `slack` times what it asks for after its submission. Past if there is no time to lose.
Time latest_departure(const JobState& job, const Stay& stay, double slack);

}  // namespace penstock
