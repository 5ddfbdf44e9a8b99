#pragma once

#include <span>

#include "policy/policy_table.h"

namespace penstock {

/// The rows of all elastic policies.
std::span<const PolicyEntry> elastic_policies();

}  // namespace penstock
