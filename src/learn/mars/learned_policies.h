#pragma once

#include "policy/registry.h"

namespace penstock {

/// Every policy there is: those of the layer below, `rl` and `mars`.
const PolicyTable& every_policy();

}  // namespace penstock
