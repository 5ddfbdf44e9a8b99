#include "app/check_homes.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/geo/make_geo.h"

namespace penstock {
namespace {

bool jobs_have_homes(const Scenario& scenario) {
  return scenario.workload.origins.has_value() && scenario.cluster.sites.size() > 1;
}

}  // namespace

Result<Done> check_homes(const PolicyChoice& policy, const Scenario& scenario) {
  const auto routing = geo_policies();
  const bool routes = std::ranges::any_of(
      routing, [&](const PolicyEntry& each) { return each.name == policy.name; });
  if (routes || !jobs_have_homes(scenario)) return Done{};
  std::string instead = "geo:router=local:site=" + policy.name;
  for (const auto& [name, value] : policy.options)
    instead += fmt::format(":{}{}={}", kSiteOption, name, value);
  return Error{
      fmt::format("policy '{}' knows one place only, but jobs have their homes at several "
                  "sites (workload.origins); possible: --policy {}",
                  policy.name, instead)};
}

PolicyChoice usual_policy(const Scenario& scenario) {
  return {.name = jobs_have_homes(scenario) ? "geo" : "fifo"};
}

}  // namespace penstock
