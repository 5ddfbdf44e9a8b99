// [[site]]: where it lies, its nodes and what they cost.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/scenario/network.h"
#include "io/scenario/sections.h"
#include "model/sharing.h"

namespace penstock {
namespace {

/// One key of `[[site.nodes]]` that lists what a node costs by used GPUs.
struct TableKey {
  std::string_view name{};
  Measure measure{};
  std::string_view example{};
};
constexpr TableKey kPower{"power_by_used", Measure::power, R"(["0 W", "530 W", "700 W"])"};
constexpr TableKey kRent{"rent_by_used", Measure::rent, R"(["0 EUR/h", "0.56 EUR/h"])"};

struct TableEntry {
  std::string text{};
  Measured cost{};
};

std::optional<TableEntry> read_entry(TableReader& table, const TableKey& key,
                                     const toml::node& node, std::size_t used) {
  const std::string text = scalar_text(node).value_or("");
  const auto cost = parse_quantity(text, key.measure);
  if (cost && cost->value >= 0) return TableEntry{text, *cost};
  const std::string what =
      cost ? fmt::format("must be at least 0, not {}", text) : cost.error().message;
  table.problem(key.name, fmt::format("of {} used GPUs: {}", used, what));
  return std::nullopt;
}

bool never_falls(TableReader& table, const TableKey& key, const std::vector<TableEntry>& entries) {
  for (std::size_t used = 1; used < entries.size(); ++used) {
    if (entries[used].cost.value >= entries[used - 1].cost.value) continue;
    table.problem(key.name,
                  fmt::format("falls from {} of {} used GPUs to {} of {}; one more used GPU can "
                              "not make a node cheaper",
                              entries[used - 1].text, used - 1, entries[used].text, used));
    return false;
  }
  return true;
}

/// Each currency is noted once.
void convert_currencies(TableReader& table, const TableKey& key, std::vector<TableEntry>& entries,
                        ScenarioDraft& draft) {
  std::map<std::string, double> worth;
  for (TableEntry& entry : entries) {
    const std::string& currency = entry.cost.currency;
    if (!worth.contains(currency))
      worth[currency] = note_currency(table, key.name, currency, draft);
    entry.cost.value *= worth[currency];
  }
}

/// Empty if the key is absent or wrong.
std::vector<TableEntry> read_node_table(TableReader& table, const TableKey& key, std::uint32_t gpus,
                                        ScenarioDraft& draft) {
  const toml::node* node = table.get(key.name);
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    table.problem(key.name, fmt::format("must be a list such as {}", key.example));
    return {};
  }
  std::vector<TableEntry> entries;
  for (const toml::node& element : *list)
    if (auto entry = read_entry(table, key, element, entries.size()))
      entries.push_back(std::move(*entry));
    else
      return {};
  if (gpus > 0 && entries.size() != gpus + 1) {
    table.problem(key.name, fmt::format("has {} entries, but a node of {} GPUs needs {}: for 0 to "
                                        "{} used ones",
                                        entries.size(), gpus, gpus + 1, gpus));
    return {};
  }
  convert_currencies(table, key, entries, draft);
  if (!never_falls(table, key, entries)) return {};
  return entries;
}

/// What nodes of so many GPUs cost by used ones. What is wrong is left out.
NodeTables read_node_tables(TableReader& nodes, std::uint32_t gpus, ScenarioDraft& draft) {
  NodeTables tables;
  for (const TableEntry& entry : read_node_table(nodes, kPower, gpus, draft))
    tables.power.emplace_back(entry.cost.value);
  for (const TableEntry& entry : read_node_table(nodes, kRent, gpus, draft))
    tables.rent.emplace_back(entry.cost.value);
  if (nodes.has(kPower.name) && nodes.has("base_power"))
    nodes.problem("base_power",
                  "cannot stand beside power_by_used, which says what the whole node draws; "
                  "possible: only one of them");
  return tables;
}

constexpr double kMostGpusInAll = 10e6;

/// 1392 W of an idle 8-GPU server less 8 idle GPUs of 58 W (Acme's Seren, 0.1 %
/// quantiles; Hu et al., NSDI'24); estimate for other servers.
constexpr Watts kBasePerGpu(116);
/// 516 W of an idle two-socket server over 128 hardware threads (Acme, as above);
/// estimate for other servers.
constexpr Watts kBasePerCore(4);
constexpr Watts kMostOfACore(20);  ///< a device that peaks below this is taken for a CPU core
constexpr Watts kBaseAsleep(30);   ///< board controller and power supplies; estimate

Watts usual_base(const GpuType& type, std::uint32_t gpus) {
  return (type.peak < kMostOfACore ? kBasePerCore : kBasePerGpu) * gpus;
}

/// The place of a type in the cluster, which holds only those in use.
GpuTypeId use_type(Cluster& cluster, const GpuType& type) {
  auto found = std::ranges::find(cluster.types, type.name, &GpuType::name);
  if (found == cluster.types.end()) found = cluster.types.insert(found, type);
  return {static_cast<std::uint32_t>(found - cluster.types.begin())};
}

std::optional<NodeGroup> read_group(TableReader& table, ScenarioDraft& draft) {
  NodeGroup group{.count = 1};
  std::string name;
  bool good = table.whole("count", group.count, {.least = 1, .most = kMostGpusInAll}) ||
              !table.has("count");
  good =
      table.require("gpus") && table.whole("gpus", group.gpus, {.least = 1, .most = 4096}) && good;
  good = table.require("gpu") && table.text("gpu", name) && good;
  table.whole("rack", group.rack, {.least = 1});
  const GpuType* type = find_type(draft.types, name);
  if (!type && !name.empty()) table.problem("gpu", no_such_type(draft.types, name));
  if (type) group.base = usual_base(*type, group.gpus);
  read_watts(table, "base_power", group.base);
  group.tables = read_node_tables(table, group.gpus, draft);
  const bool tabled = !group.tables.power.empty();
  group.base_sleep = std::min(kBaseAsleep, tabled ? group.tables.power.front() : group.base);
  read_watts(table, "sleep_power", group.base_sleep);
  if (tabled) group.base = Watts(0);
  const std::uint32_t share = read_share(table, draft);
  table.finish();
  if (!good || !type) return std::nullopt;
  group.gpus *= share;
  group.tables = by_slices(group.tables, share);
  group.type = use_type(draft.scenario.cluster, slice_of(*type, share));
  return group;
}

void read_nodes(TableReader& site, const std::string& name, ScenarioDraft& draft) {
  std::vector<NodeGroup> groups;
  if (!site.require("nodes", "write [[site.nodes]] with count, gpus and gpu")) return;
  Cluster& cluster = draft.scenario.cluster;
  double gpus = cluster.gpu_count();
  for (TableReader& table : site.tables("nodes")) {
    const auto group = read_group(table, draft);
    if (!group) continue;
    gpus += static_cast<double>(group->count) * group->gpus;
    if (gpus > kMostGpusInAll)
      return table.problem("count", "makes more than 10 million GPUs in all");
    groups.push_back(*group);
  }
  if (cluster.types.size() > 64) return site.problem("nodes", "more than 64 GPU types are in use");
  add_site(cluster, name, groups);
}

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
std::optional<LocalClock> read_local_clock(TableReader& site) {
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

/// Regions, clock and outages of a site.
void read_place(TableReader& site, const std::string& name, ScenarioDraft& draft) {
  const SiteId id{static_cast<std::uint32_t>(draft.places.size())};
  SitePlace place{.name = name, .table = &site.raw()};
  if (site.text("region", place.region) && !is_region(place.region))
    site.refuse_word("region", std::exchange(place.region, {}), all_regions());
  site.text("cloud_region", place.cloud_region);
  place.clock = read_local_clock(site);
  draft.places.push_back(std::move(place));
  for (TableReader& table : site.tables("outage")) read_outage(table, id, draft.scenario.outages);
}

void read_site(TableReader& table, ScenarioDraft& draft) {
  Scenario& scenario = draft.scenario;
  std::string name;
  if (table.require("name")) table.text("name", name);
  if (!name.empty() &&
      std::ranges::find(scenario.cluster.sites, name, &Site::name) != scenario.cluster.sites.end())
    table.problem("name", fmt::format("there are two sites '{}'", name));
  read_place(table, name, draft);
  scenario.signals.push_back(read_signals(table, name, draft));
  scenario.forecasts.push_back(read_forecasts(table, name, draft));
  read_nodes(table, name, draft);
  table.finish();
}

/// Messages about series of one of several sites, from the `first` on, say which.
void name_site(ScenarioDraft& draft, std::size_t first) {
  for (std::size_t i = first; i < draft.scenario.spans.size(); ++i)
    draft.scenario.spans[i].where += fmt::format(" of '{}'", draft.places.back().name);
}

}  // namespace

std::vector<std::string_view> site_names(const ScenarioDraft& draft) {
  std::vector<std::string_view> names;
  names.reserve(draft.places.size());
  for (const SitePlace& place : draft.places) names.emplace_back(place.name);
  return names;
}

void read_sites(TableReader& root, ScenarioDraft& draft) {
  root.require("site", "write at least one [[site]] with [[site.nodes]]");
  auto tables = root.tables("site");
  for (TableReader& table : tables) {
    const std::size_t known = draft.scenario.spans.size();
    read_site(table, draft);
    if (tables.size() > 1) name_site(draft, known);
  }
}

}  // namespace penstock
