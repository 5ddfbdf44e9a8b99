#pragma once

#include "policy/policy_table.h"

namespace penstock {

/// The table of all policies: those that follow rules, and those that are learned.
const PolicyTable& every_policy();

}  // namespace penstock
