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

}  // namespace

void read_sites(TableReader& root, Draft& draft) {
  root.require("site", "write at least one [[site]] with [[site.nodes]]");
  for (TableReader& table : root.tables("site")) read_site(table, draft);
}

}  // namespace penstock
