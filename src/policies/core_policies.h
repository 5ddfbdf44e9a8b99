#pragma once

#include <vector>

#include "policy/policy_table.h"

namespace penstock {

/// The rows of all policies of this layer; those of its routers are in policies/geo/geo.h.
std::vector<PolicyEntry> policy_entries();
/// What a table puts around its policies: `clock`, and the sleeping of idle nodes.
PolicyWrappers policy_wrappers();

/// The table of this layer's policies. The table of all is in registry/registry.h.
const PolicyTable& core_policies();

}  // namespace penstock
