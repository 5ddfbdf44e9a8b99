#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "learn/geo/observation.h"
#include "learn/net/actor_critic.h"

namespace penstock {

/// A trained network, what it was trained for, and what is to be known about it: "scenario",
/// "scenario_hash", "command" and whatever else its trainer says.
struct GeoAgent {
  ActorCritic net;
  GeoRules rules{};
  std::map<std::string, std::string> about{};
};

/// A weights file, with the names and the version of the features.
std::string encode_geo_agent(const GeoAgent& agent);
/// What encode_geo_agent() was given, bit for bit. Refuses a network that sees other features than
/// GeoObserver shows, or one of another variant than this, and says which. Critics may have been
/// joint or local.
Result<GeoAgent> decode_geo_agent(std::string_view bytes, std::string_view variant);

}  // namespace penstock
