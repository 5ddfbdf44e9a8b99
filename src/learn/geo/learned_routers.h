#pragma once

#include <vector>

#include "policy/policy_table.h"

namespace penstock {

/// thrifty, thrifty-wait, and one for each variant of trained agents.
std::vector<RouterEntry> learned_router_entries();

}  // namespace penstock
