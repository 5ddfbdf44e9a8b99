#pragma once

#include "learn/geo/geo_world.h"
#include "learn/geo/observation.h"

namespace penstock {

/// What a router that nobody trained reaches, told as the returns of training are.
struct GeoRival {
  std::string name{};
  double mean_return = 0;
};

/// Every router that follows one rule, thrifty among them, on the same episodes; the best first.
Result<std::vector<GeoRival>> geo_rivals(const GeoWorld& world, const GeoRules& rules,
                                         std::span<const GeoEpisode> episodes,
                                         std::uint32_t threads);

}  // namespace penstock
