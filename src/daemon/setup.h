#pragma once

#include <toml++/toml.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "journal/journal.h"
#include "live/bridge/bridge_link.h"
#include "live/bridge/discover.h"
#include "serve/config/config.h"

namespace penstock {

/// A daemon's machines, prices and policy.
struct LiveSetup {
  Scenario scenario{};
  toml::table table{};  ///< from which it was read
  PolicyChoice policy{};
  std::vector<std::vector<std::string>> nodes{};  ///< Slurm's names, by site
  std::vector<std::string> notes{};
};

/// Asks the clusters for their facts, by site. For a cluster that does not answer it takes those in
/// the journal; without these it asks until the cluster answers, or `stops` returns true.
Result<std::vector<ClusterFacts>> find_clusters(const ServeConfig& config, Journal& journal,
                                                const std::function<bool()>& stops);
/// Reads the rest of the configuration with the nodes of these clusters.
Result<LiveSetup> set_up_live(const ServeConfig& config, std::span<const ClusterFacts> clusters);
/// Reads the scenario of a set-up once more, its files included.
Result<Scenario> read_live_scenario(const ServeConfig& config, const toml::table& table);

/// The options of a site's bridge without events, of which several may run at a time. A program
/// beside this one has precedence over the PATH.
BridgeLink::Options bridge_options(const SlurmSpec& spec);

}  // namespace penstock
