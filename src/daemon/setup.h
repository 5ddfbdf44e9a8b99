#pragma once

#include <toml++/toml.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "live/bridge/bridge_link.h"
#include "live/bridge/discover.h"
#include "serve/config/config.h"
#include "serve/journal/journal.h"

namespace penstock {

/// A daemon's machines, prices and policy.
struct LiveSetup {
  Scenario scenario{};
  toml::table table{};  ///< from which it was read
  PolicyChoice policy{};
  std::vector<std::vector<std::string>> nodes{};  ///< Slurm's names, by site
  std::vector<std::string> notes{};
};

/// Asks the clusters, by site. One that does not answer is as the journal knows it from before, and
/// is asked until it answers or `stops` if the journal does not.
Result<std::vector<ClusterFacts>> find_clusters(const ServeConfig& config, Journal& journal,
                                                const std::function<bool()>& stops);
/// Reads the rest of the configuration with the nodes of these clusters.
Result<LiveSetup> set_up_live(const ServeConfig& config, std::span<const ClusterFacts> clusters);
/// Reads the scenario of a set-up once more, its files included.
Result<Scenario> read_live_scenario(const ServeConfig& config, const toml::table& table);

/// How a site's bridge is run that hears no events, of which there may be several at a time. A
/// program that lies beside this one goes before the PATH's.
BridgeLink::Options bridge_options(const SlurmSpec& spec);

}  // namespace penstock
