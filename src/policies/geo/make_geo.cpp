#include "policies/geo/make_geo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "policies/geo/geo.h"
#include "policies/geo/mpc_router.h"
#include "policies/geo/rule_router.h"
#include "policies/geo/waiting_router.h"

namespace penstock {
namespace {

constexpr OptionSpec kSite{"site", "fifo",
                           "the policy of each site, any of this list; its options as site.NAME"};
constexpr OptionSpec kSlack{"slack", "0.5",
                            "jobs without a deadline may wait for this part of the time they ask"};
constexpr auto kGeoOptions = std::to_array<OptionSpec>({
    {"router", "local",
     "who chooses sites: local random round-robin cheapest greenest least-loaded most-free mpc "
     "thrifty thrifty-wait marl independent-rl single-rl"},
    kSite,
    {"wait", "none",
     "while there is slack, start in the hours that are best by the forecast: none, cheapest or "
     "greenest"},
    kSlack,
    {"seed", "1", "of the random router, a whole number"},
    {"epoch", "1 h", "mpc: how often everything is planned anew"},
    {"horizon", "24", "mpc: hours ahead for which starts are planned, 72 at most"},
    {"price_weight", "0.5", "mpc: of the energy's price, in terms of its mean"},
    {"carbon_weight", "0.5", "mpc: of its carbon, in terms of the mean"},
    {"transfer_weight", "0.1", "mpc: of fees and energy for sending files, by the mean price"},
    {"late_weight", "1", "mpc: of a late job, in terms of an average job's energy"},
    {"wait_weight", "0.02", "mpc: of an hour's wait, in terms of the job's own energy"},
    {"weights", "none", "file of trained agents for the routers marl, independent-rl, single-rl"},
});
constexpr auto kWaitOptions = std::to_array<OptionSpec>({kSite, kSlack});

/// The options of the sites' own policy.
Options options_of_site(const Options& options) {
  Options own;
  for (const auto& [name, value] : options)
    if (name.starts_with(kSiteOption)) own[name.substr(kSiteOption.size())] = value;
  return own;
}

Result<std::unique_ptr<Router>> make_router(const PolicySetting& setting, const Options& options) {
  const std::string& name = options.at("router");
  std::vector<std::string_view> names;
  for (const RouterEntry& entry : setting.table->routers()) {
    if (entry.name == name) return entry.make(setting, name, options);
    names.push_back(entry.name);
  }
  return Error{fmt::format("router: there is no '{}'; possible: {}", name, fmt::join(names, " "))};
}

Result<std::unique_ptr<Policy>> make_geo(const PolicySetting& setting, std::string_view /*name*/,
                                         const Options& options) {
  const std::string& site_policy = options.at("site");
  const PolicyEntry* inner = setting.table->find(site_policy);
  if (inner != nullptr && inner->traits.holds_sites)
    return Error{fmt::format("site: '{}' has sites itself", site_policy)};
  const Options own = options_of_site(options);
  if (auto fine = setting.table->check(site_policy, own); !fine)
    return std::move(fine).error().in("site");
  auto router = make_router(setting, options);
  if (!router) return std::move(router).error();
  auto waiting = make_waiting(setting, options, *std::move(router));
  if (!waiting) return std::move(waiting).error();
  std::vector<std::unique_ptr<Branch>> branches;
  for (std::uint32_t i = 0; i < setting.cluster.sites.size(); ++i) {
    auto branch = Branch::make(setting, SiteId{i}, site_policy, own);
    if (!branch) return std::move(branch).error().in("site");
    branches.push_back(*std::move(branch));
  }
  return std::unique_ptr<Policy>(
      std::make_unique<Geo>(setting.cluster, *std::move(waiting), std::move(branches)));
}

/// carbon-wait and price-wait: everybody stays at home, and waits.
Result<std::unique_ptr<Policy>> make_wait(const PolicySetting& setting, std::string_view name,
                                          const Options& options) {
  Options all = options;
  for (const OptionSpec& option : kGeoOptions)
    all.try_emplace(std::string(option.name), option.fallback);
  all["wait"] = name == "price-wait" ? "cheapest" : "greenest";
  return make_geo(setting, name, all);
}

}  // namespace

std::span<const PolicyEntry> geo_policies() {
  static constexpr auto kPolicies = std::to_array<PolicyEntry>({
      {"geo",
       "a router over sites, and any policy at each of them",
       kGeoOptions,
       make_geo,
       {.routes = true,
        .holds_sites = true,
        .reacts_to_price = true,
        .reacts_to_carbon = true,
        .uses_models = true,
        .uses_deadlines = true}},
      {"price-wait",
       "jobs stay at home and start when power is cheapest within their slack",
       kWaitOptions,
       make_wait,
       {.holds_sites = true, .reacts_to_price = true, .uses_models = true, .uses_deadlines = true}},
      {"carbon-wait",
       "jobs stay at home and start when power is cleanest within their slack",
       kWaitOptions,
       make_wait,
       {.holds_sites = true,
        .reacts_to_carbon = true,
        .uses_models = true,
        .uses_deadlines = true}},
  });
  return kPolicies;
}

std::vector<RouterEntry> router_entries() {
  return {
      {"local", "at home", make_rule_router},
      {"random", "anywhere that it can run", make_rule_router},
      {"round-robin", "one site after the other", make_rule_router},
      {"cheapest", "least price x PUE now, of sites with room", make_rule_router},
      {"greenest", "least carbon x PUE now, of sites with room", make_rule_router},
      {"least-loaded", "least work ahead for its size", make_rule_router},
      {"most-free", "largest share of free GPUs", make_rule_router},
      {"mpc", "least cost by a plan over sites and hours ahead", make_mpc_router},
  };
}

}  // namespace penstock
