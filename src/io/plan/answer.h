#pragma once

#include <string>

#include "io/plan/request.h"

namespace penstock {

/// Makes a plan: optimise(), or make_plan() where the exact method is available.
using MakePlan = JointResult(const JointProblem& problem, const JointSettings& settings);

/// The plan that was asked for, as JSON.
std::string answer_plan(const PlanRequest& request, MakePlan& make_plan);

}  // namespace penstock
