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
  draft.places.push_back(std::move(place));
  for (TableReader& table : site.tables("outage")) read_outage(table, id, draft.scenario.outages);
}

}  // namespace penstock
