#pragma once

#include "policies/geo/router.h"
#include "policy/policy_table.h"

namespace penstock {

/// Routers that follow one rule and never let a job wait: local, random, round-robin, cheapest,
/// greenest, least-loaded and most-free.
Result<std::unique_ptr<Router>> make_rule_router(const PolicySetting& setting,
                                                 std::string_view name, const Options& options);

}  // namespace penstock
