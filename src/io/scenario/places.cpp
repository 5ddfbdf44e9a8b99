// Where a site lies, and when it is down.
#include <fmt/format.h>

#include "io/scenario/regions.h"
#include "io/scenario/sections.h"

namespace penstock {
namespace {

void read_outage(TableReader& table, SiteId site, std::vector<Outage>& outages) {
  std::optional<Time> from;
  std::optional<Time> until;
  const bool begins = table.require("from") && table.time("from", from);
  const bool ends = table.require("until") && table.time("until", until);
  table.finish();
  if (!begins || !ends) return;
  if (*until <= *from) return table.problem("until", "is not after site.outage.from");
  outages.push_back({.site = site, .from = *from, .until = *until});
}

/// Hours ahead of UTC in winter, and the rule of summer time; nothing if neither is said.
std::optional<LocalClock> read_clock(TableReader& site) {
  LocalClock clock;
  double hours = 0;
  const bool placed = site.number("utc_offset", hours, {.least = -12, .most = 14});
  clock.ahead = round_duration(hours * 3600);
  const bool ruled =
      site.choice("dst", clock.daylight,
                  {{"none", Daylight::none}, {"eu", Daylight::eu}, {"us", Daylight::us}});
  if (ruled && !site.has("utc_offset"))
    site.problem("dst", "needs utc_offset, the hours ahead of UTC in winter");
  return placed ? std::optional(clock) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> site_names(const Draft& draft) {
  std::vector<std::string_view> names;
  names.reserve(draft.places.size());
  for (const SitePlace& place : draft.places) names.emplace_back(place.name);
  return names;
}

void read_place(TableReader& site, const std::string& name, Draft& draft) {
  const SiteId id{static_cast<std::uint32_t>(draft.places.size())};
  SitePlace place{.name = name, .table = &site.raw()};
  if (site.text("region", place.region) && !is_region(place.region))
    site.refuse_word("region", std::exchange(place.region, {}), all_regions());
  site.text("cloud_region", place.cloud_region);
  place.clock = read_clock(site);
  draft.places.push_back(std::move(place));
  for (TableReader& table : site.tables("outage")) read_outage(table, id, draft.scenario.outages);
}

}  // namespace penstock
