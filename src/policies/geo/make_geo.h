#pragma once

#include <span>
#include <vector>

#include "policy/policy_table.h"

namespace penstock {

/// The policies that hold a policy for each site.
std::span<const PolicyEntry> geo_policies();
/// The ways in which they may choose among sites.
std::vector<RouterEntry> router_entries();

}  // namespace penstock
