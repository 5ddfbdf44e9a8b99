#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "live/job/slurm_records.h"
#include "serve/config/config.h"

namespace penstock {

/// The nodes of a site as a scenario lists them, and what Slurm calls them, in the same order.
struct SiteMachines {
  std::vector<std::string> names{};
  toml::array nodes{};               ///< for `site.nodes`
  std::vector<std::string> notes{};  ///< nodes that are left out, and names that no node has
};

/// Of the governed partitions, those with GPUs of one type. `extra` holds, by GPU type, what Slurm
/// does not know of a node, such as its base_power; it may be nullptr.
SiteMachines machines_of(const std::vector<SlurmNode>& nodes, const SiteOptions& options,
                         const toml::table* extra);

}  // namespace penstock
