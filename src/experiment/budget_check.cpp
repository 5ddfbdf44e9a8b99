#include "experiment/budget_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/in_parallel.h"
#include "experiment/policy_run.h"
#include "experiment/scenario_bounds.h"
#include "policy/budget.h"

namespace penstock {
namespace {

/// A budget of this many times the least possible energy is not tried before the run: policies
/// hardly ever need so much, and one that does is told of after it.
constexpr double kSurelyEnough = 2;

/// A run with a budget that may be too small.
struct DoubtfulRun {
  const Variant& variant;
  PolicyChoice policy{};
  Joules budget{};
  Joules bound{};  ///< no scheduler needs less
};

Joules least_for_jobs(const Scenario& scenario, const Workload& workload) {
  return least_job_energy(bounded_world(scenario, workload), *workload.source());
}

std::vector<DoubtfulRun> doubtful_runs(const Experiment& experiment) {
  std::vector<DoubtfulRun> doubtful;
  for (const auto& variant : experiment.variants) {
    std::optional<Joules> bound;
    for (const PolicyChoice& policy : policies_of(*variant, experiment.policies)) {
      const auto budget = run_budget(policy);
      if (!budget) continue;
      if (!bound)
        bound = scenario_bounds(variant->scenario, variant->workload).energy.value_or(Joules{});
      if (*budget < *bound * kSurelyEnough) doubtful.push_back({*variant, policy, *budget, *bound});
    }
  }
  return doubtful;
}

/// With the smallest budget that is not refused, which cannot be kept: then it needs the least that
/// it can.
PolicyChoice at_its_thriftiest(const DoubtfulRun& run) {
  PolicyChoice policy = run.policy;
  const double kwh = kilowatt_hours(least_for_jobs(run.variant.scenario, run.variant.workload));
  policy.options["energy_budget"] = fmt::format("{:.6f} kWh", kwh + 1e-5);
  policy.options["if_short"] = "finish";
  return policy;
}

std::string advice(const DoubtfulRun& run, const RunSummary& thriftiest) {
  const double budget = kilowatt_hours(run.budget);
  const bool stops =
      run.policy.options.contains("if_short") && run.policy.options.at("if_short") == "stop";
  return fmt::format(
      "the budget of {} is too small: at its thriftiest this policy needs {:.1f} kWh, no scheduler "
      "less than {:.1f} kWh; {}; possible: an energy_budget of more than '{:.0f} kWh'",
      run_label(run.policy, run.variant.swept), *thriftiest.energy_kwh, kilowatt_hours(run.bound),
      stops ? "with if_short=stop some jobs will not end"
            : fmt::format("all jobs end, {:.1f} % over it",
                          100 * (*thriftiest.energy_kwh / budget - 1)),
      std::ceil(*thriftiest.energy_kwh));
}

}  // namespace

std::optional<Joules> run_budget(const PolicyChoice& policy) {
  const auto text = policy.options.find("energy_budget");
  if (text == policy.options.end() || text->second == "none") return std::nullopt;
  const auto budget = parse_budget(text->second, std::chrono::hours(1), std::nullopt);
  if (!budget || budget->window) return std::nullopt;  // told where policies are made
  return budget->amount;
}

Result<Done> check_budget(const PolicyChoice& policy, const Scenario& scenario,
                          const Workload& workload) {
  const auto budget = run_budget(policy);
  if (!budget) return Done{};
  const Joules least = least_for_jobs(scenario, workload);
  if (least <= *budget) return Done{};
  return Error{
      fmt::format("policy '{}': energy_budget: '{}' is less than the jobs need at least, "
                  "{:.1f} kWh for their GPUs alone",
                  policy.name, policy.options.at("energy_budget"), kilowatt_hours(least))};
}

std::vector<std::string> short_budgets(const Experiment& experiment, unsigned threads) {
  const std::vector<DoubtfulRun> doubtful = doubtful_runs(experiment);
  std::vector<std::string> lines(doubtful.size());
  in_parallel(doubtful.size(), threads, [&](std::size_t i) {
    const DoubtfulRun& run = doubtful[i];
    const auto tried = run_policy({.variant = run.variant, .policy = at_its_thriftiest(run)});
    if (!tried || !tried->summary.energy_kwh) return;
    if (Joules(*tried->summary.energy_kwh * kJoulesPerKwh) > run.budget)
      lines[i] = advice(run, tried->summary);
  });
  std::erase(lines, "");
  return lines;
}

}  // namespace penstock
