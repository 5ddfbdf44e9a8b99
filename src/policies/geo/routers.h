#pragma once

#include "policies/geo/router.h"
#include "policy/policy_table.h"

namespace penstock {

/// Routers that follow one rule and never let a job wait: local, random, round-robin, cheapest,
/// greenest, least-loaded and most-free.
Result<std::unique_ptr<Router>> make_rule_router(const PolicySetting& setting,
                                                 std::string_view name, const Options& options);

/// Wraps a router so that jobs wait for better hours as the option `wait` says; returns the router
/// itself if that is none.
Result<std::unique_ptr<Router>> make_waiting(const PolicySetting& setting, const Options& options,
                                             std::unique_ptr<Router> router);

/// When a job must be sent so that it ends in time were it to start at once: by its deadline, or
/// `slack` times what it asks for after its submission. Past if there is no time to lose.
Time latest_departure(const JobState& job, const Stay& stay, double slack);

/// The router `mpc`: plans ahead over sites and hours with forecasts, by a linear program that is
/// solved anew every `epoch`. See docs/geo.md.
Result<std::unique_ptr<Router>> make_mpc_router(const PolicySetting& setting, std::string_view name,
                                                const Options& options);

}  // namespace penstock
