#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/plan/instant.h"
#include "joint/settings.h"

namespace penstock {

/// What `penstock plan` is asked; docs/formats/plan.md is its contract.
struct PlanRequest {
  JointProblem problem{};  ///< jobs and nodes are called by the user's ids, in the user's order
  JointSettings settings{};
  bool verbose = false;
  InstantForm form = InstantForm::seconds;  ///< of currentTime
};

/// Refuses with every problem at once, each as "file: jobs.J3.Deadline: what".
Result<PlanRequest> parse_plan_request(std::string_view text, const std::string& file);

/// What requests call a method, and what it does.
struct PlanMethod {
  std::string_view name;
  JointMethod method;
  std::string_view summary;
};
std::span<const PlanMethod> plan_methods();
/// The error names those that there are.
Result<JointMethod> parse_plan_method(std::string_view name);
std::string_view plan_method_name(JointMethod method);

}  // namespace penstock
