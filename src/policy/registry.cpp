#include "policy/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>

#include "policy/andreas/make_andreas.h"
#include "policy/clocked.h"
#include "policy/elastic/make_elastic.h"
#include "policy/order/make_list_policy.h"
#include "policy/sleep_idle.h"

namespace penstock {
namespace {

/// The options of a policy that leaves clocks alone, kept for good.
std::span<const OptionSpec> with_clock(std::span<const OptionSpec> options) {
  static std::deque<std::vector<OptionSpec>> kept;  // filled once, under the lock of all_policies
  auto& longer = kept.emplace_back(options.begin(), options.end());
  longer.push_back(kClockOption);
  return longer;
}

bool sets_clocks(const PolicyEntry& entry) {
  return entry.name == "powerflow";
}

/// One row for each order; policies of other families follow them.
std::vector<PolicyEntry> entries() {
  std::vector<PolicyEntry> all;
  for (const Order& order : all_orders())
    all.push_back({order.name, order.summary, options_of(order), make_list_policy});
  const auto elastic = elastic_policies();
  all.insert(all.end(), elastic.begin(), elastic.end());
  const auto joint = joint_policies();
  all.insert(all.end(), joint.begin(), joint.end());
  for (PolicyEntry& entry : all)
    if (!sets_clocks(entry)) entry.options = with_clock(entry.options);
  return all;
}

Result<const PolicyEntry*> entry_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : all_policies()) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return Error{fmt::format("no policy '{}'; there are: {}", name, fmt::join(names, " "))};
}

Result<Done> check_names(const PolicyEntry& entry, const Options& options) {
  for (const auto& [name, value] : options) {
    if (std::ranges::find(entry.options, name, &OptionSpec::name) != entry.options.end()) continue;
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

Result<std::unique_ptr<Policy>> make_bare(const PolicySetting& setting, std::string_view name,
                                          const Options& options) {
  const auto entry = entry_named(name);
  if (!entry) return entry.error();
  if (auto names = check_names(**entry, options); !names) return std::move(names).error();
  Options complete = options;
  for (const OptionSpec& option : (*entry)->options)
    complete.try_emplace(std::string(option.name), option.fallback);
  if (auto fine = check_sharing(setting.cluster, name); !fine)
    return std::move(fine).error().in(fmt::format("policy '{}'", name));
  auto policy = (*entry)->make(setting, name, complete);
  if (policy && !sets_clocks(**entry))
    policy = make_clocked(setting, complete.at("clock"), *std::move(policy));
  if (!policy) return std::move(policy).error().in(fmt::format("policy '{}'", name));
  return policy;
}

}  // namespace

std::span<const PolicyEntry> all_policies() {
  static const std::vector<PolicyEntry> kAll = entries();
  return kAll;
}

Result<std::unique_ptr<Policy>> make_policy(const PolicySetting& setting, std::string_view name,
                                            const Options& options) {
  auto policy = make_bare(setting, name, options);
  if (!policy || !setting.costs.sleep_after) return policy;
  return make_sleep_idle(setting, *setting.costs.sleep_after, std::move(*policy));
}

Result<Done> check_policy(std::string_view name, const Options& options) {
  const Cluster nothing;
  auto policy = make_bare({.cluster = nothing}, name, options);
  if (!policy) return std::move(policy).error();
  return Done{};
}

}  // namespace penstock
