#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "policy/policy_table.h"

namespace penstock {

/// The rows of all policies of this layer; those of its routers are in policies/geo/geo.h.
std::vector<PolicyEntry> policy_entries();
/// What a table puts around its policies: `clock`, and the sleeping of idle nodes.
PolicyWrappers policy_wrappers();

/// The table of this layer's policies. The table of all is in registry/registry.h.
const PolicyTable& core_policies();

inline std::span<const PolicyEntry> all_policies() {
  return core_policies().all();
}
inline Result<std::unique_ptr<Policy>> make_policy(const PolicySetting& setting,
                                                   std::string_view name, const Options& options) {
  return core_policies().make(setting, name, options);
}
inline Result<Done> check_policy(std::string_view name, const Options& options) {
  return core_policies().check(name, options);
}

}  // namespace penstock
