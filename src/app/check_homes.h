#pragma once

#include "base/result.h"
#include "io/scenario/scenario.h"

namespace penstock {

/// A policy for one place cannot send files about: where jobs have homes, it must be one that
/// routes. The error says how to run the policy at each site.
Result<Done> check_homes(const PolicyChoice& policy, const Scenario& scenario);

/// What runs if nobody chooses.
PolicyChoice usual_policy(const Scenario& scenario);

}  // namespace penstock
