#pragma once

#include "policies/andreas/instance.h"
#include "policies/andreas/wide_jobs.h"

namespace penstock {

/// Says of everybody whom the decision moves, starts or stops, and of those who wait, what the plan
/// expects of them.
void say_joint_plan(const View& view, const Instance& instance, const Assignments& plan,
                    const WidePlan& wide, Decision& decision);

}  // namespace penstock
