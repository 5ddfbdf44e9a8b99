#include "report/utility.h"

namespace penstock {
namespace {

std::optional<double> over(std::optional<double> value, double reference) {
  if (!value || !(reference > 0)) return std::nullopt;
  return *value / reference;
}

double machines_cost(const RunSummary& run) {
  return run.energy_cost.value_or(0) + run.rent_cost.value_or(0);
}

}  // namespace

void fill_utility(RunSummary& run, const RunSummary& local, const UtilityWeights& weights) {
  const double cost = machines_cost(local);
  run.relative_cost = over(machines_cost(run), cost);
  run.relative_carbon = over(run.carbon_kg, local.carbon_kg.value_or(0));
  run.relative_transfer = over(run.transfer_cost, cost);
  run.late_share = over(run.deadline_misses.value_or(0), run.jobs_submitted.value_or(0));
  if (!run.gpu_utilization || !run.relative_cost || !run.relative_carbon ||
      !run.relative_transfer || !run.late_share)
    return;
  run.utility = weights.utilization * *run.gpu_utilization - weights.cost * *run.relative_cost -
                weights.carbon * *run.relative_carbon - weights.transfer * *run.relative_transfer -
                weights.late * *run.late_share;
}

}  // namespace penstock
