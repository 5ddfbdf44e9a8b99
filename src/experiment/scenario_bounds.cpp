#include "experiment/scenario_bounds.h"

namespace penstock {
namespace {

std::optional<double> gap(std::optional<double> value, std::optional<double> bound) {
  if (!value || !bound || *bound <= 0) return std::nullopt;
  return *value / *bound - 1;
}

}  // namespace

BoundedWorld bounded_world(const Scenario& scenario, const Workload& workload) {
  return {.cluster = scenario.cluster,
          .signals = scenario.signals,
          .costs = scenario.costs,
          .failures = scenario.failures.has_value() || !scenario.outages.empty(),
          .over_request = scenario.workload.over_request,
          .models = workload.kinds ? &workload.kinds->truth() : nullptr,
          .carbon_price = scenario.carbon_price,
          .start = workload.start};
}

Bounds scenario_bounds(const Scenario& scenario, const Workload& workload) {
  return lower_bounds(bounded_world(scenario, workload), *workload.source());
}

BudgetBound scenario_budget_bound(const Scenario& scenario, const Workload& workload) {
  return {bounded_world(scenario, workload), *workload.source()};
}

std::optional<double> most_utility(const Scenario& scenario, const Workload& workload,
                                   const RunSummary& run, Duration longest) {
  if (!run.utility || *run.relative_cost == 0 || *run.relative_carbon == 0) return std::nullopt;
  const double cost = run.energy_cost.value_or(0) + run.rent_cost.value_or(0);
  const HomeRun home{.cost = Money(cost / *run.relative_cost),
                     .carbon = GramsCo2(*run.carbon_kg * 1e3 / *run.relative_carbon)};
  const ObjectiveWeights weights =
      utility_objective(scenario.utility, home, static_cast<double>(workload.count));
  const auto least = least_sum(bounded_world(scenario, workload), *workload.source(), weights,
                               {.most_columns = 150'000, .longest = longest, .preempts = false});
  if (!least) return std::nullopt;
  return -*least;
}

void fill_gaps(RunSummary& run, const Bounds& bounds) {
  if (bounds.jct_mean) run.bound_jct_mean_s = seconds(*bounds.jct_mean);
  if (bounds.energy) run.bound_energy_kwh = kilowatt_hours(*bounds.energy);
  if (bounds.total_cost) run.bound_total_cost = bounds.total_cost->value();
  if (bounds.carbon) run.bound_carbon_kg = bounds.carbon->value() / 1e3;
  if (run.jobs_finished != run.jobs_submitted) return;
  run.gap_jct = gap(run.jct_mean_s, run.bound_jct_mean_s);
  run.gap_energy = gap(run.energy_kwh, run.bound_energy_kwh);
  run.gap_cost = gap(run.total_cost, run.bound_total_cost);
  run.gap_carbon = gap(run.carbon_kg, run.bound_carbon_kg);
}

}  // namespace penstock
