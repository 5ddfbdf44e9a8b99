#pragma once

#include "policy/policy_table.h"

namespace penstock {

/// Every policy there is: those that are written, and those that are learned.
const PolicyTable& every_policy();

}  // namespace penstock
