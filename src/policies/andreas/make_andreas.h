#pragma once

#include "policy/policy_table.h"

namespace penstock {

/// Joint scheduling and capacity allocation, planned anew at every event.
std::span<const PolicyEntry> joint_policies();

}  // namespace penstock
