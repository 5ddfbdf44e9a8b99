#pragma once

#include <optional>
#include <string>

#include "model/models.h"
#include "model/state.h"

namespace penstock {

/// Why an action may not be carried out in a state, or nothing if it may. In a
/// simulation an illegal action is a bug of the policy; live it is refused.
std::optional<std::string> illegal(const Action& action, const State& state, const Models& models);

}  // namespace penstock
