#pragma once

#include <span>
#include <string_view>

#include "policy/registry.h"

namespace penstock {

/// What options of the sites' own policy begin with: "site.backfill".
inline constexpr std::string_view kSiteOption = "site.";

/// The policies that hold a policy for each site.
std::span<const PolicyEntry> geo_policies();

}  // namespace penstock
