#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "base/version.h"
#include "experiment/experiment.h"
#include "experiment/scenario_bounds.h"
#include "policy/budget.h"
#include "report/terminal/text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct BoundOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> budget;
  bool json = false;
};

Json or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The bounds in the units of summary.json.
struct BoundFigures {
  std::optional<double> jct_mean_s{};
  std::optional<double> makespan_s{};
  std::optional<double> energy_kwh{};
  std::optional<double> total_cost{};
  std::optional<double> carbon_kg{};
  std::optional<double> budget_kwh{};
  std::optional<double> jct_mean_in_budget_s{};

  explicit BoundFigures(const Bounds& bounds) {
    if (bounds.jct_mean) jct_mean_s = seconds(*bounds.jct_mean);
    if (bounds.makespan) makespan_s = seconds(*bounds.makespan);
    if (bounds.energy) energy_kwh = kilowatt_hours(*bounds.energy);
    if (bounds.total_cost) total_cost = bounds.total_cost->value();
    if (bounds.carbon) carbon_kg = bounds.carbon->value() / 1e3;
  }
};

Json bound_json(const Variant& variant, const BoundFigures& figures) {
  Json options = Json::object();
  for (const auto& [key, value] : variant.swept) options[key] = value;
  Json json = {{"options", options},
               {"jobs", variant.workload.count},
               {"jct_mean_s", or_null(figures.jct_mean_s)},
               {"makespan_s", or_null(figures.makespan_s)},
               {"energy_kwh", or_null(figures.energy_kwh)},
               {"total_cost", or_null(figures.total_cost)},
               {"carbon_kg", or_null(figures.carbon_kg)}};
  if (!figures.budget_kwh) return json;
  json["energy_budget_kwh"] = or_null(figures.budget_kwh);
  json["jct_mean_in_budget_s"] = or_null(figures.jct_mean_in_budget_s);
  return json;
}

void print_bound(std::string_view what, std::optional<double> value, std::string_view unit) {
  const std::string number = value ? grouped(*value, 2) : "-";
  fmt::print("  {:<14} {:>16}{}{}\n", what, number, unit.empty() ? "" : " ", unit);
}

void print_bounds(const Variant& variant, const BoundFigures& figures) {
  fmt::print("no run of {} with {} jobs can go below\n", variant.scenario.name,
             variant.workload.count);
  for (const auto& [key, value] : variant.swept) fmt::print("  where {} = {}\n", key, value);
  print_bound("mean JCT", figures.jct_mean_s, "s");
  print_bound("makespan", figures.makespan_s, "s");
  print_bound("energy", figures.energy_kwh, "kWh");
  print_bound("total cost", figures.total_cost, variant.scenario.currency);
  print_bound("carbon", figures.carbon_kg, "kg");
  if (!figures.budget_kwh) return;
  const std::string jct =
      figures.jct_mean_in_budget_s ? grouped(*figures.jct_mean_in_budget_s, 2) : "-";
  fmt::print("mean JCT with at most {} kWh: {} s\n", grouped(*figures.budget_kwh, 2), jct);
}

/// A budget for the whole run.
Result<Joules> read_budget(const std::string& text) {
  const auto budget = parse_budget(text, std::chrono::hours(1), std::nullopt);
  if (budget && !budget->window) return budget->amount;
  return Error{fmt::format("--energy-budget: '{}' is {}; possible: an energy such as '900 kWh'",
                           text, budget ? "by time" : "no energy")};
}

Result<Done> add_budget(const Variant& variant, const std::string& text, BoundFigures& figures) {
  const auto budget = read_budget(text);
  if (!budget) return budget.error();
  figures.budget_kwh = kilowatt_hours(*budget);
  const BudgetBound bound = scenario_budget_bound(variant.scenario, variant.workload);
  const double least =
      std::max(kilowatt_hours(bound.least_energy()), figures.energy_kwh.value_or(0));
  if (*figures.budget_kwh < least)
    return Error{fmt::format("--energy-budget: '{}' is less than any run of {} needs, {:.2f} kWh",
                             text, variant.scenario.name, least)};
  if (const auto jct = bound.jct_mean(*budget)) figures.jct_mean_in_budget_s = seconds(*jct);
  return Done{};
}

Result<Done> bound(const BoundOptions& options) {
  ExperimentSpec spec{.scenario = options.scenario, .overrides = options.overrides};
  if (options.seed) spec.overrides.push_back(fmt::format("seed={}", *options.seed));
  const auto experiment = load_experiment(spec);
  if (!experiment) return experiment.error();
  for (const std::string& line : experiment->notes) remark("note: " + line);
  Json rows = Json::array();
  for (const auto& variant : experiment->variants) {
    BoundFigures figures(scenario_bounds(variant->scenario, variant->workload));
    if (options.budget)
      if (const auto added = add_budget(*variant, *options.budget, figures); !added)
        return added.error();
    if (options.json)
      rows.push_back(bound_json(*variant, figures));
    else
      print_bounds(*variant, figures);
  }
  if (!options.json) return Done{};
  const Scenario& scenario = experiment->variants.front()->scenario;
  const Json all = {
      {"version", kVersion},   {"scenario", scenario.name},     {"scenario_hash", scenario.hash},
      {"seed", scenario.seed}, {"currency", scenario.currency}, {"bounds", rows}};
  fmt::print("{}\n", all.dump(2));
  return Done{};
}

}  // namespace

void add_bound(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BoundOptions>();
  CLI::App* command = app.add_subcommand(
      "bound", "Lower bounds on completion time, energy, cost and carbon of a scenario");
  command->add_option("SCENARIO", options->scenario, "Scenario file (TOML)")->required();
  command->add_option("--set", options->overrides, "Change a key of the scenario: site.pue=1.1")
      ->allow_extra_args(false);
  command->add_option("--seed", options->seed, "Seed of everything random")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed));
  command->add_option("--energy-budget", options->budget,
                      "Also of the completion time of runs that use no more: \"900 kWh\"");
  command->add_flag("--json", options->json, "Print JSON instead of text");
  command->footer("Example: penstock bound data/demo.toml");
  command->callback([options, &exit_code] { exit_code = exit_code_of(bound(*options)); });
}

}  // namespace penstock
