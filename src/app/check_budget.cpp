#include "app/check_budget.h"

#include <fmt/format.h>

#include "app/scenario_bounds.h"
#include "policy/budget.h"

namespace penstock {

Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload) {
  const auto given = policy.options.find("energy_budget");
  if (given == policy.options.end() || given->second == "none") return Done{};
  const auto budget = parse_budget(given->second, std::chrono::hours(1), std::nullopt);
  if (!budget || budget->window) return Done{};  // told where policies are made
  const Joules least = least_job_energy(bounded_world(scenario, workload), *workload.source());
  if (least <= budget->amount) return Done{};
  return Error{
      fmt::format("policy '{}': energy_budget: '{}' is less than the jobs need at least, "
                  "{:.1f} kWh for their GPUs alone",
                  policy.name, given->second, kilowatt_hours(least))};
}

}  // namespace penstock
