#pragma once

#include <optional>

#include "joint/problem.h"

namespace penstock {

/// Seconds until some job of the plan, if all go on as planned, could change to a cheaper way and
/// still be in time. A job that began in a hurry need not go on so: what is left of it shrinks
/// faster than the time to its deadline. A change takes `restart` seconds.
std::optional<double> until_thriftier(const JointProblem& problem, const Assignments& plan,
                                      double restart);

}  // namespace penstock
