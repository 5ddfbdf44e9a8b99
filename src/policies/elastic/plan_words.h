#pragma once

#include <string>
#include <vector>

#include "policies/elastic/plan.h"

namespace penstock {

/// Why each job runs as planned, or waits, for people: what it will take, and what of the limits
/// the whole plan uses. Indexed like `jobs`.
std::vector<std::string> plan_words(std::span<const PlanJob> jobs, const Plan& plan,
                                    const PlanLimits& limits);

}  // namespace penstock
