#pragma once

#include <vector>

#include "policy/policy_table.h"

namespace penstock {

/// The rows of `rl` and `mars`.
std::vector<PolicyEntry> learned_policy_entries();

}  // namespace penstock
