#pragma once

#include "joint/optimise.h"

namespace penstock {

/// A complete plan than which none costs less, found by integer programs: for a handful of nodes
/// and jobs. Once the settings' time limit is over, the best plan so far; `at_least` bounds how
/// much better a plan could be.
JointResult exact_plan(const JointProblem& problem, const JointSettings& settings);

/// A plan by any of the methods.
JointResult make_plan(const JointProblem& problem, const JointSettings& settings);

}  // namespace penstock
