#include "study/andreas/andreas_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/scenario/table_reader.h"
#include "io/text/file.h"

namespace penstock {

std::string AndreasPlan::workload() const {
  if (!is_by_load()) return arrivals;
  return fmt::format("load {:g}, slack {:g}-{:g}", load, slack.first, slack.second);
}

namespace {

/// Each plan once with each value.
template <class Value, class Set>
void combine(std::vector<AndreasPlan>& plans, const std::vector<Value>& values, Set set) {
  std::vector<AndreasPlan> all;
  all.reserve(plans.size() * values.size());
  for (const AndreasPlan& plan : plans)
    for (const Value& value : values) set(all.emplace_back(plan), value);
  plans = std::move(all);
}

/// [[1.1, 3], [2, 10]]
std::vector<std::pair<double, double>> read_slacks(TableReader& group) {
  std::vector<std::pair<double, double>> slacks;
  const toml::node* node = group.require("slacks") ? group.get("slacks") : nullptr;
  const toml::array* list = node == nullptr ? nullptr : node->as_array();
  if (list != nullptr)
    for (const toml::node& element : *list) {
      const toml::array* two = element.as_array();
      const bool is_range = two != nullptr && two->size() == 2;
      const auto least = is_range ? two->get(0)->value<double>() : std::nullopt;
      const auto most = is_range ? two->get(1)->value<double>() : std::nullopt;
      if (least && most) slacks.emplace_back(*least, *most);
    }
  if (node != nullptr && (slacks.empty() || slacks.size() != list->size()))
    group.problem("slacks", "is not a list of ranges, such as [[1.1, 3]]");
  return slacks;
}

void read_by_load(TableReader& group, std::vector<AndreasPlan>& plans) {
  std::uint64_t jobs_per_node = 10;
  group.whole("jobs_per_node", jobs_per_node, {.least = 1});
  for (AndreasPlan& plan : plans) {
    plan.arrivals = "by-load";
    plan.jobs_per_node = jobs_per_node;
  }
  const auto loads = required_list<double>(group, "loads", "numbers");
  if (std::ranges::any_of(loads, [](double load) { return load <= 0; }))
    group.problem("loads", "are not all above 0");
  combine(plans, loads, [](AndreasPlan& plan, double load) { plan.load = load; });
  combine(plans, read_slacks(group),
          [](AndreasPlan& plan, const auto& slack) { plan.slack = slack; });
}

AndreasMethods read_methods(TableReader& group) {
  AndreasMethods methods = AndreasMethods::all;
  if (group.require("methods"))
    group.choice("methods", methods,
                 {{"few", AndreasMethods::few},
                  {"rivals", AndreasMethods::rivals},
                  {"ours", AndreasMethods::ours},
                  {"all", AndreasMethods::all}});
  return methods;
}

std::vector<AndreasPlan> read_plans(TableReader& group) {
  std::vector<AndreasPlan> plans{{.methods = read_methods(group)}};
  combine(plans, required_list<std::string>(group, "clusters", "names of clusters"),
          [](AndreasPlan& plan, const std::string& cluster) { plan.cluster = cluster; });
  combine(plans, required_list<std::uint32_t>(group, "nodes", "numbers of nodes"),
          [](AndreasPlan& plan, std::uint32_t nodes) { plan.nodes = nodes; });
  if (group.has("weights"))
    combine(plans, required_list<double>(group, "weights", "numbers"),
            [](AndreasPlan& plan, double weights) { plan.weights = weights; });
  if (group.has("loads"))
    read_by_load(group, plans);
  else
    combine(plans, required_list<std::string>(group, "arrivals", "kinds of arrivals"),
            [](AndreasPlan& plan, const std::string& arrivals) { plan.arrivals = arrivals; });
  combine(plans, required_list<std::uint64_t>(group, "seeds", "whole numbers"),
          [](AndreasPlan& plan, std::uint64_t seed) { plan.seed = seed; });
  group.finish();
  return plans;
}

}  // namespace

Result<std::vector<AndreasPlan>> read_andreas_plans(const std::filesystem::path& path,
                                                    const std::string& group) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto table = parse_toml(*text, path.string());
  if (!table) return table.error();
  ProblemList problems(path.string());
  TableReader root(*table, "", problems);
  std::vector<AndreasPlan> wanted;
  for (const char* name : {"tuning", "report", "quick"})
    for (TableReader& each : root.tables(name)) {
      const std::vector<AndreasPlan> plans = read_plans(each);
      if (name == group) wanted.insert(wanted.end(), plans.begin(), plans.end());
    }
  root.finish();
  if (!problems.empty()) return problems.as_error();
  return wanted;
}

}  // namespace penstock
