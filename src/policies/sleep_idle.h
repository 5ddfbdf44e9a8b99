#pragma once

#include <memory>

#include "policy/policy_table.h"

namespace penstock {

/// Whatever `inner` decides, and nodes that have been idle for `after` are put to
/// sleep. They wake by themselves when a job is started on them.
std::unique_ptr<Policy> make_sleep_idle(const PolicySetting& setting, Duration after,
                                        std::unique_ptr<Policy> inner);

}  // namespace penstock
