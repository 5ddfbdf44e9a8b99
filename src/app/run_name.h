#pragma once

#include <string>
#include <string_view>

#include "io/scenario/scenario.h"
#include "policy/policy_table.h"

namespace penstock {

/// "sjf backfill=easy workload.load=0.5": a policy with its options, and what a sweep changed.
std::string run_label(const PolicyChoice& policy, const Options& swept);

/// The same as a name for a folder: letters, digits and "._=" stay, all else becomes "-".
std::string safe_name(std::string_view label);

}  // namespace penstock
