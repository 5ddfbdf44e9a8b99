#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace penstock {

/// The parts of the world between which we know how fast files travel: "US", "EU", "AP", "SA".
std::vector<std::string_view> all_regions();
bool is_region(std::string_view name);

/// Throughput and round trip between two regions, without a fee; nothing if nobody has told.
std::optional<Link> link_between(std::string_view from, std::string_view to);

}  // namespace penstock
