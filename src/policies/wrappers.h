#pragma once

#include <memory>
#include <string>

#include "policies/clock_choice.h"
#include "policy/policy_table.h"

namespace penstock {

/// Runs the jobs that `inner` starts or resizes at the clock that `text` names; jobs without
/// models run at the highest in any case.
Result<std::unique_ptr<Policy>> make_clocked(const PolicySetting& setting, const std::string& text,
                                             std::unique_ptr<Policy> inner);

/// Decides as `inner` does, and also puts nodes to sleep that have been idle for `after`. They wake
/// by themselves when a job is started on them.
std::unique_ptr<Policy> make_sleep_idle(const PolicySetting& setting, Duration after,
                                        std::unique_ptr<Policy> inner);

}  // namespace penstock
