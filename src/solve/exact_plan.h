#pragma once

#include "joint/optimise.h"

namespace penstock {

/// A complete plan than which none costs less, found by integer programs: for a handful of nodes
/// and jobs. Once the settings' time limit is
/// over, the best plan so far; how much better one could be is told by `at_least`.
JointResult exact_plan(const JointProblem& problem, const JointSettings& settings);

/// A plan by any of the methods.
JointResult make_plan(const JointProblem& problem, const JointSettings& settings);

}  // namespace penstock
