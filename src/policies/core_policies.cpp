#include "policies/core_policies.h"

#include "policies/andreas/make_andreas.h"
#include "policies/clocked.h"
#include "policies/elastic/make_elastic.h"
#include "policies/geo/make_geo.h"
#include "policies/order/make_list_policy.h"
#include "policies/sleep_idle.h"

namespace penstock {

std::vector<PolicyEntry> policy_entries() {
  std::vector<PolicyEntry> all;
  for (const Order& order : all_orders())
    all.push_back(
        {order.name, order.summary, options_of(order), make_list_policy, traits_of(order)});
  for (const auto family : {elastic_policies(), joint_policies(), geo_policies()})
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
