#include <fmt/format.h>

#include <map>

#include "io/scenario/sections.h"

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

struct Entry {
  std::string text{};
  Measured cost{};
};

std::optional<Entry> read_entry(TableReader& table, const TableKey& key, const toml::node& node,
                                std::size_t used) {
  const std::string text = scalar_text(node).value_or("");
  const auto cost = parse_quantity(text, key.measure);
  if (cost && cost->value >= 0) return Entry{text, *cost};
  const std::string what =
      cost ? fmt::format("must be at least 0, not {}", text) : cost.error().message;
  table.problem(key.name, fmt::format("of {} used GPUs: {}", used, what));
  return std::nullopt;
}

bool never_falls(TableReader& table, const TableKey& key, const std::vector<Entry>& entries) {
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
void convert(TableReader& table, const TableKey& key, std::vector<Entry>& entries, Draft& draft) {
  std::map<std::string, double> worth;
  for (Entry& entry : entries) {
    const std::string& currency = entry.cost.currency;
    if (!worth.contains(currency))
      worth[currency] = note_currency(table, key.name, currency, draft);
    entry.cost.value *= worth[currency];
  }
}

/// Empty if the key is absent or wrong.
std::vector<Entry> read_table(TableReader& table, const TableKey& key, std::uint32_t gpus,
                              Draft& draft) {
  const toml::node* node = table.get(key.name);
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    table.problem(key.name, fmt::format("must be a list such as {}", key.example));
    return {};
  }
  std::vector<Entry> entries;
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
  convert(table, key, entries, draft);
  if (!never_falls(table, key, entries)) return {};
  return entries;
}

}  // namespace

NodeTables read_node_tables(TableReader& nodes, std::uint32_t gpus, Draft& draft) {
  NodeTables tables;
  for (const Entry& entry : read_table(nodes, kPower, gpus, draft))
    tables.power.emplace_back(entry.cost.value);
  for (const Entry& entry : read_table(nodes, kRent, gpus, draft))
    tables.rent.emplace_back(entry.cost.value);
  if (nodes.has(kPower.name) && nodes.has("base_power"))
    nodes.problem("base_power",
                  "cannot stand beside power_by_used, which says what the whole node draws; "
                  "possible: only one of them");
  return tables;
}

}  // namespace penstock
