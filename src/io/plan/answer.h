#pragma once

#include <string>
#include <string_view>

#include "io/plan/request.h"

namespace penstock {

/// Makes a plan: optimise(), or make_plan() where the exact method is to be had.
using MakePlan = JointResult(const JointProblem& problem, const JointSettings& settings);

/// The plan that was asked for, as JSON.
std::string answer_plan(const PlanRequest& request, MakePlan& make_plan);

/// The same for a request as it came; `file` is only for messages. What the program and the
/// daemon both call.
Result<std::string> answer_plan_request(std::string_view text, const std::string& file,
                                        MakePlan& make_plan);

}  // namespace penstock
