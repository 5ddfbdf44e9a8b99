#include "registry/registry.h"

#include "learn/geo/learned_routers.h"
#include "learn/mars/learned_policies.h"
#include "policies/core_policies.h"
#include "policies/geo/geo.h"

namespace penstock {
namespace {

std::vector<PolicyEntry> every_entry() {
  std::vector<PolicyEntry> all = policy_entries();
  for (const PolicyEntry& learned : learned_policy_entries()) all.push_back(learned);
  return all;
}

std::vector<RouterEntry> every_router() {
  std::vector<RouterEntry> all = router_entries();
  for (const RouterEntry& learned : learned_router_entries()) all.push_back(learned);
  return all;
}

}  // namespace

const PolicyTable& every_policy() {
  static const PolicyTable kTable(every_entry(), every_router(), policy_wrappers());
  return kTable;
}

}  // namespace penstock
