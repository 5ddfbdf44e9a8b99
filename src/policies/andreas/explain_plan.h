#pragma once

#include "policies/andreas/execute_plan.h"
#include "policies/andreas/instance.h"

namespace penstock {

/// Says of everybody whom the decision moves, starts or stops, and of those who wait, what the plan
/// expects of them.
void explain_plan(const View& view, const Instance& instance, const Assignments& plan,
                  const WidePlan& wide, Decision& decision);

}  // namespace penstock
