#pragma once

#include "policies/elastic/plan.h"

namespace penstock {

/// Plans as plan_greedily() does, but by another ranking: the time a step saves for the
/// share it takes of what the admitted jobs leave of GPUs, power and energy, with a step to
/// any faster way of the job. This is the greedy of multiple-choice knapsacks, which comes
/// near to the least mean time where relative gains do not (they hold a minute of a short
/// job for as good as an hour of a long one, and GPUs for free).
Plan plan_by_shares(std::span<const PlanJob> jobs, const PlanLimits& limits,
                    const PlanOptions& options = {});

}  // namespace penstock
