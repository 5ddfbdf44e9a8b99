#include "io/scenario/regions.h"

#include <algorithm>
#include <array>

namespace penstock {
namespace {

constexpr auto kRegions = std::to_array<std::string_view>({"US", "EU", "AP", "SA"});

struct RegionLink {
  std::string_view one{};
  std::string_view other{};
  double megabits_per_second = 0;
  int round_trip_ms = 0;
};

/// Between regions of a large cloud, as SustainCluster (green-dcc) tabulates them. It has none for
/// EU-SA, and neither have we.
constexpr auto kLinks = std::to_array<RegionLink>({
    {"EU", "US", 160, 70},
    {"EU", "AP", 50, 190},
    {"US", "AP", 50, 240},
    {"US", "SA", 100, 120},
    {"SA", "AP", 40, 350},
});
/// Within a region; our choice.
constexpr Link kNear{.megabits_per_second = 1000, .round_trip = std::chrono::milliseconds(20)};

}  // namespace

std::vector<std::string_view> all_regions() {
  return {kRegions.begin(), kRegions.end()};
}

bool is_region(std::string_view name) {
  return std::ranges::find(kRegions, name) != kRegions.end();
}

std::optional<Link> link_between(std::string_view from, std::string_view to) {
  if (!is_region(from) || !is_region(to)) return std::nullopt;
  if (from == to) return kNear;
  for (const RegionLink& link : kLinks) {
    const bool there = link.one == from && link.other == to;
    const bool back = link.one == to && link.other == from;
    if (there || back)
      return Link{.megabits_per_second = link.megabits_per_second,
                  .round_trip = std::chrono::milliseconds(link.round_trip_ms)};
  }
  return std::nullopt;
}

}  // namespace penstock
