#pragma once

#include <string>
#include <vector>

#include "app/policy_choice.h"

namespace penstock {

/// A line for each weights file that a policy names and that was trained on a scenario of another
/// name. Files that cannot be read are passed over: making the policy says what is wrong with them.
std::vector<std::string> foreign_weights(const std::vector<PolicyChoice>& choices,
                                         const std::string& scenario);

}  // namespace penstock
