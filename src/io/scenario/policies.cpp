#include <algorithm>
#include <utility>

#include "io/scenario/sections.h"

namespace penstock {
namespace {

PolicyChoice read_policy(TableReader& table) {
  PolicyChoice choice;
  if (table.require("name", "see `penstock policies`")) table.text("name", choice.name);
  for (const auto& [key, node] : table.raw()) {
    if (key.str() == "name") continue;
    const auto text = scalar_text(node);
    if (!text) table.problem(key.str(), "must be text, a number, or true or false");
    if (text) choice.options.emplace(key.str(), *text);
  }
  return choice;
}

/// One option at a time, so that each problem is told where it stands.
void check_policy(const PolicyChoice& choice, const PolicyCheck& check, TableReader& table) {
  if (choice.name.empty()) return;  // told already
  if (const auto fine = check({.name = choice.name}); !fine)
    return table.problem("name", fine.error().message);
  for (const auto& option : choice.options)
    if (const auto fine = check({.name = choice.name, .options = {option}}); !fine)
      table.problem(option.first, fine.error().message);
}

/// A list under `[sweep]` and the key it is for.
struct AxisNode {
  std::string key{};
  const toml::node* node = nullptr;
};

/// All lists of the table; a.b = [ … ] without quotes is a table in a table.
void find_axes(const toml::table& table, const std::string& prefix, std::vector<AxisNode>& axes) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto* child = node.as_table())
      find_axes(*child, key + ".", axes);
    else
      axes.push_back({key, &node});
  }
}

void read_axis(const AxisNode& found, ScenarioDraft& draft) {
  const auto* list = found.node->as_array();
  const std::string path = "sweep." + found.key;
  if (!list || list->empty())
    return draft.problems.add(*found.node, path, "must be a list of values, such as [1, 2]");
  SweepAxis axis{.key = found.key};
  for (const toml::node& value : *list) {
    const auto text = scalar_text(value);
    if (!text) return draft.problems.add(value, path, "must be a list of texts or numbers");
    axis.values.push_back(*text);
  }
  draft.scenario.sweep.push_back(std::move(axis));
}

}  // namespace

void read_policies(TableReader& root, const PolicyCheck& check, ScenarioDraft& draft) {
  for (TableReader& table : root.tables("policy")) {
    draft.scenario.policies.push_back(read_policy(table));
    if (check) check_policy(draft.scenario.policies.back(), check, table);
  }
}

void read_sweep(TableReader& root, ScenarioDraft& draft) {
  const auto table = root.table("sweep", R"({ "policy.backfill" = ["none", "easy"] })");
  if (!table) return;
  std::vector<AxisNode> axes;
  find_axes(table->raw(), "", axes);
  std::ranges::sort(axes, {}, [](const AxisNode& axis) {  // as the user wrote them
    const auto& begin = axis.node->source().begin;
    return std::pair(begin.line, begin.column);
  });
  for (const AxisNode& axis : axes) read_axis(axis, draft);
}

std::vector<std::vector<std::string>> sweep_overrides(const Scenario& scenario) {
  std::vector<std::vector<std::string>> runs{{}};
  for (const SweepAxis& axis : scenario.sweep) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& run : runs) {
      for (const std::string& value : axis.values) {
        longer.push_back(run);
        longer.back().push_back(axis.key + "=" + value);
      }
    }
    runs = std::move(longer);
  }
  return runs;
}

}  // namespace penstock
