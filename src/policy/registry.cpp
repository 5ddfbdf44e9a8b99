#include "policy/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "policy/andreas/make_andreas.h"
#include "policy/clocked.h"
#include "policy/elastic/make_elastic.h"
#include "policy/geo/make_geo.h"
#include "policy/geo/router.h"
#include "policy/order/make_list_policy.h"
#include "policy/sleep_idle.h"

namespace penstock {
namespace {

/// Sites of its own, which have their own clocks and send their own nodes to sleep.
bool holds_sites(const PolicyEntry& entry) {
  return std::ranges::any_of(geo_policies(),
                             [&](const PolicyEntry& each) { return each.name == entry.name; });
}

bool sets_clocks(const PolicyEntry& entry) {
  return entry.name == "powerflow" || holds_sites(entry);
}

/// "site.backfill" is the option `backfill` of the policy that each site has.
bool is_for_sites(const PolicyEntry& entry, std::string_view option) {
  return holds_sites(entry) && option.starts_with(kSiteOption);
}

Result<Done> check_names(const PolicyEntry& entry, const Options& options) {
  for (const auto& [name, value] : options) {
    if (std::ranges::find(entry.options, name, &OptionSpec::name) != entry.options.end()) continue;
    if (is_for_sites(entry, name)) continue;
    std::vector<std::string_view> names;
    for (const OptionSpec& option : entry.options) names.push_back(option.name);
    return Error{fmt::format("policy '{}' has no option '{}'; there are: {}", entry.name, name,
                             fmt::join(names, " "))};
  }
  return Done{};
}

/// Those that can place parts of GPUs.
constexpr auto kKnowParts = std::to_array<std::string_view>({"andreas"});

Result<Done> check_sharing(const Cluster& cluster, std::string_view name) {
  if (cluster.share == 1 || std::ranges::find(kKnowParts, name) != kKnowParts.end()) return Done{};
  return Error{
      fmt::format("places whole GPUs, and each is shared by {} here; possible: nodes with share = "
                  "1, or a policy that places parts of GPUs: {}",
                  cluster.share, fmt::join(kKnowParts, " "))};
}

}  // namespace

std::vector<PolicyEntry> policy_entries() {
  std::vector<PolicyEntry> all;
  for (const Order& order : all_orders())
    all.push_back({order.name, order.summary, options_of(order), make_list_policy});
  const auto elastic = elastic_policies();
  all.insert(all.end(), elastic.begin(), elastic.end());
  const auto joint = joint_policies();
  all.insert(all.end(), joint.begin(), joint.end());
  const auto across_sites = geo_policies();
  all.insert(all.end(), across_sites.begin(), across_sites.end());
  return all;
}

const PolicyTable& core_policies() {
  static const PolicyTable kTable(policy_entries(), router_entries());
  return kTable;
}

PolicyTable::PolicyTable(std::vector<PolicyEntry> entries, std::vector<RouterEntry> routers)
    : entries_(std::move(entries)), routers_(std::move(routers)) {
  for (PolicyEntry& entry : entries_) {
    if (sets_clocks(entry)) continue;
    auto& longer = options_.emplace_back(entry.options.begin(), entry.options.end());
    longer.push_back(kClockOption);
    entry.options = longer;
  }
}

Result<const PolicyEntry*> PolicyTable::entry_named(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : entries_) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return Error{fmt::format("no policy '{}'; there are: {}", name, fmt::join(names, " "))};
}

Result<std::unique_ptr<Policy>> PolicyTable::make_bare(const PolicySetting& given,
                                                       std::string_view name,
                                                       const Options& options) const {
  PolicySetting setting = given;
  setting.table = this;
  const auto entry = entry_named(name);
  if (!entry) return entry.error();
  if (auto names = check_names(**entry, options); !names) return std::move(names).error();
  Options complete = options;
  for (const OptionSpec& option : (*entry)->options)
    complete.try_emplace(std::string(option.name), option.fallback);
  if (auto fine = check_sharing(setting.cluster, name); !fine && !holds_sites(**entry))
    return std::move(fine).error().in(fmt::format("policy '{}'", name));
  auto policy = (*entry)->make(setting, name, complete);
  if (policy && !sets_clocks(**entry))
    policy = make_clocked(setting, complete.at("clock"), *std::move(policy));
  if (!policy) return std::move(policy).error().in(fmt::format("policy '{}'", name));
  return policy;
}

Result<std::unique_ptr<Policy>> PolicyTable::make(const PolicySetting& setting,
                                                  std::string_view name,
                                                  const Options& options) const {
  auto policy = make_bare(setting, name, options);
  if (!policy || !setting.costs.sleep_after || holds_sites(**entry_named(name))) return policy;
  return make_sleep_idle(setting, *setting.costs.sleep_after, std::move(*policy));
}

Result<Done> PolicyTable::check(std::string_view name, const Options& options) const {
  const Cluster nothing;
  auto policy = make_bare({.cluster = nothing}, name, options);
  if (!policy) return std::move(policy).error();
  return Done{};
}

}  // namespace penstock
