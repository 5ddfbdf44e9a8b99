#pragma once

#include "policies/geo/router.h"
#include "policy/policy_table.h"

namespace penstock {

/// The router `mpc`: plans ahead over sites and hours with forecasts, by a linear program that is
/// solved anew every `epoch`. See docs/geo.md.
Result<std::unique_ptr<Router>> make_mpc_router(const PolicySetting& setting, std::string_view name,
                                                const Options& options);

}  // namespace penstock
