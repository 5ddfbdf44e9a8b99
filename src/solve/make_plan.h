#pragma once

#include "joint/settings.h"

namespace penstock {

/// A plan by any of the methods.
JointResult make_plan(const JointProblem& problem, const JointSettings& settings);

}  // namespace penstock
