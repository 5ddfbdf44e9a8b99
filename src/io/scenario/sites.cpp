#include <fmt/format.h>

#include <algorithm>

#include "io/scenario/sections.h"

namespace penstock {
namespace {

void read_site(TableReader& table, Draft& draft) {
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
void name_site(Draft& draft, std::size_t first) {
  for (std::size_t i = first; i < draft.scenario.spans.size(); ++i)
    draft.scenario.spans[i].where += fmt::format(" of '{}'", draft.places.back().name);
}

}  // namespace

void read_sites(TableReader& root, Draft& draft) {
  root.require("site", "write at least one [[site]] with [[site.nodes]]");
  auto tables = root.tables("site");
  for (TableReader& table : tables) {
    const std::size_t known = draft.scenario.spans.size();
    read_site(table, draft);
    if (tables.size() > 1) name_site(draft, known);
  }
}

}  // namespace penstock
