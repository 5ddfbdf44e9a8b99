#include "learn/geo/learned_routers.h"

#include <fmt/format.h>

#include "io/text/file.h"
#include "learn/geo/agent_router.h"
#include "learn/geo/geo_weights.h"
#include "policy/policy_table.h"

namespace penstock {
namespace {

/// Chooses by a network of its own.
class OwningChooser final : public SiteChooser {
 public:
  explicit OwningChooser(ActorCritic net) : net_(std::move(net)), chooser_(net_) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override {
    chooser_.choose(windows, out);
  }
  std::string why(const SiteChoice& choice) const override { return chooser_.why(choice); }

 private:
  ActorCritic net_;
  NetSiteChooser chooser_;
};

/// They remember who waits, and must not be kept from those who have just come.
Result<double> slack_of(std::string_view name, const Options& options) {
  if (options.at("wait") != "none")
    return Error{
        fmt::format("wait: '{}' is not possible with the router {}; possible: none, or the "
                    "router thrifty-wait",
                    options.at("wait"), name)};
  return number_of(options, "slack");
}

Result<std::unique_ptr<Router>> make_thrifty_router(const PolicySetting& setting,
                                                    std::string_view name, const Options& options,
                                                    bool waits) {
  const auto slack = slack_of(name, options);
  if (!slack) return slack.error();
  const GeoRules rules{
      .variant = default_geo_variant(), .weights = setting.utility, .slack = *slack};
  return std::unique_ptr<Router>(
      std::make_unique<AgentRouter>(rules, std::make_unique<ThriftyChooser>(waits)));
}

Result<std::unique_ptr<Router>> make_thrifty(const PolicySetting& setting, std::string_view name,
                                             const Options& options) {
  return make_thrifty_router(setting, name, options, false);
}

Result<std::unique_ptr<Router>> make_thrifty_wait(const PolicySetting& setting,
                                                  std::string_view name, const Options& options) {
  return make_thrifty_router(setting, name, options, true);
}

Result<std::unique_ptr<Router>> make_agents(const PolicySetting& /*setting*/, std::string_view name,
                                            const Options& options) {
  const auto slack = slack_of(name, options);
  if (!slack) return slack.error();
  const std::string& path = options.at("weights");
  if (path == "none")
    return Error{
        fmt::format("weights: the router {} needs a file of weights; penstock train "
                    "SCENARIO --policy {} writes one",
                    name, name)};
  const auto bytes = read_file(path);
  if (!bytes) return Error(bytes.error()).in("weights");
  auto agent = decode_geo_agent(*bytes, name);
  if (!agent) return std::move(agent).error().in(fmt::format("weights: {}", path));
  GeoRules rules = agent->rules;
  rules.slack = *slack;
  return std::unique_ptr<Router>(
      std::make_unique<AgentRouter>(rules, std::make_unique<OwningChooser>(std::move(agent->net))));
}

}  // namespace

std::vector<RouterEntry> learned_router_entries() {
  std::vector<RouterEntry> all{
      {"thrifty", "least predicted cost and carbon of the whole stay, of sites with room",
       make_thrifty},
      {"thrifty-wait", "the same, and waits within slack if that is predicted to cost less",
       make_thrifty_wait},
  };
  for (const GeoVariant& variant : geo_variants())
    all.push_back({variant.name, variant.summary, make_agents});
  return all;
}

}  // namespace penstock
