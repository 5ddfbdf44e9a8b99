#include "app/least_energy.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "policy/elastic/budget.h"
#include "policy/elastic/curve.h"

namespace penstock {
namespace {

/// Joules for a unit of work of a kind, on the type where it needs least.
double least_joules(KindId kind, const Scenario& scenario, const Models& models) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < scenario.cluster.types.size(); ++i) {
    const Profile* profile = models.find(kind, GpuTypeId{i});
    if (profile == nullptr) continue;
    const Surroundings around{.node_gpus = scenario.cluster.gpu_count(),
                              .most_gpus = scenario.cluster.gpu_count()};
    const Curve curve(*profile, scenario.cluster.types[i], around);
    for (const Way& way : curve.ways()) least = std::min(least, joules_per_work(way));
  }
  return least;
}

Joules rigid_energy(const TracedJob& traced, const Scenario& scenario) {
  double watts = std::numeric_limits<double>::infinity();
  for (const GpuType& type : scenario.cluster.types)
    watts = std::min(watts, (type.idle + (type.peak - type.idle) * traced.load).value());
  return Watts(watts * traced.job.gpus) * traced.actual;
}

}  // namespace

std::optional<Joules> least_energy(const Scenario& scenario, const Workload& workload) {
  if (workload.jobs.empty()) return std::nullopt;
  std::map<KindId, double> joules;
  Joules sum;
  for (const TracedJob& traced : workload.jobs) {
    if (!traced.job.kind_id) {
      sum += rigid_energy(traced, scenario);
      continue;
    }
    const KindId kind = *traced.job.kind_id;
    if (!joules.contains(kind))
      joules[kind] = least_joules(kind, scenario, workload.kinds->truth());
    sum += Joules(joules[kind] * std::min(traced.work, traced.job.work).value());
  }
  return sum;
}

Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload) {
  const auto given = policy.options.find("energy_budget");
  if (given == policy.options.end() || given->second == "none") return Done{};
  const auto budget = parse_budget(given->second, std::chrono::hours(1), std::nullopt);
  if (!budget || budget->window) return Done{};  // told where policies are made
  const auto least = least_energy(scenario, workload);
  if (!least || *least <= budget->amount) return Done{};
  return Error{
      fmt::format("policy '{}': energy_budget: '{}' is less than the jobs need at least, "
                  "{:.1f} kWh for their GPUs alone",
                  policy.name, given->second, kilowatt_hours(*least))};
}

}  // namespace penstock
