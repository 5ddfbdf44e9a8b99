#pragma once

#include "policies/andreas/instance.h"
#include "policies/andreas/wide_jobs.h"

namespace penstock {

/// Turns a plan into actions that are legal one after the other: jobs that shall wait are
/// stopped, others move as soon as there is room for them, those that stand in each other's way
/// are stopped and started anew, and the rest start.
void carry_out(const View& view, const Instance& instance, const Assignments& plan,
               const std::vector<WideStart>& wide, Decision& decision);

}  // namespace penstock
