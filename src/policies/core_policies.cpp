#include "policies/core_policies.h"

#include "policies/andreas/andreas.h"
#include "policies/elastic/elastic_policies.h"
#include "policies/geo/geo.h"
#include "policies/order/list_policies.h"
#include "policies/wrappers.h"

namespace penstock {

std::vector<PolicyEntry> policy_entries() {
  std::vector<PolicyEntry> all;
  for (const Order& order : all_orders())
    all.push_back(
        {order.name, order.summary, options_of(order), make_list_policy, traits_of(order)});
  for (const auto family : {elastic_policies(), andreas_policies(), geo_policies()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

PolicyWrappers policy_wrappers() {
  return {.clock_option = kClockOption, .set_clocks = make_clocked, .sleep_idle = make_sleep_idle};
}

const PolicyTable& core_policies() {
  static const PolicyTable kTable(policy_entries(), router_entries(), policy_wrappers());
  return kTable;
}

}  // namespace penstock
