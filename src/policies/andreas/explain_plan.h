#pragma once

#include "policies/andreas/execute_plan.h"
#include "policies/andreas/instance.h"

namespace penstock {

/// Adds a reason for every job that the decision moves, starts or stops, and for those that wait:
/// what the plan expects of it.
void explain_plan(const View& view, const Instance& instance, const WholePlan& plan,
                  Decision& decision);

}  // namespace penstock
