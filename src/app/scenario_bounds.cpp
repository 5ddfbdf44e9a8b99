#include "app/scenario_bounds.h"

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

void fill_gaps(RunSummary& run, const Bounds& bounds) {
  if (bounds.jct_mean) run.bound_jct_mean_s = seconds(*bounds.jct_mean);
  if (bounds.energy) run.bound_energy_kwh = kilowatt_hours(*bounds.energy);
  if (bounds.total_cost) run.bound_total_cost = bounds.total_cost->value();
  if (run.jobs_finished != run.jobs_submitted) return;
  run.gap_jct = gap(run.jct_mean_s, run.bound_jct_mean_s);
  run.gap_energy = gap(run.energy_kwh, run.bound_energy_kwh);
  run.gap_cost = gap(run.total_cost, run.bound_total_cost);
}

}  // namespace penstock
