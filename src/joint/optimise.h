#pragma once

#include "joint/settings.h"

namespace penstock {

/// The best plan that a method finds; every method but JointMethod::exact, which is in solve.
JointResult optimise(const JointProblem& problem, const JointSettings& settings);

}  // namespace penstock
