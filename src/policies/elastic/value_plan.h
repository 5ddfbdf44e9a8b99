#pragma once

#include <span>

#include "policies/elastic/plan.h"

namespace penstock {

/// How much a second of work counts where `rank` jobs, this one among them, have at least as much
/// to do: all others wait for it, as far as they cannot use other GPUs. `elasticity` is the power
/// of the number of GPUs with which a job's speed grows, within (0, 1). By the optimal allocation
/// of heSRPT (Berg, Vesilo and Harchol-Balter, 2020): 1 for a job alone; `rank` for jobs that would
/// use every GPU equally well.
double delay_weight(double rank, double elasticity);

/// As if so many more jobs were always there, each with more to do: others will come, and wait
/// behind those there are. Chosen on the traces for tuning (data/studies/powerflow/cases.toml);
/// between 4 and 16 results hardly differ.
constexpr double kJobsBehind = 8;

/// What all jobs of a curve have in common.
struct CurveTraits {
  std::uint32_t reference = 0;  ///< the way with the least GPUs at the highest clock
  double elasticity = 0.95;     ///< see delay_weight()
};

CurveTraits traits_of(const Curve& curve);

/// Plans for the least sum of completion times plus `options.energy_price` for each joule. Each job
/// has a value, the seconds that all jobs save if it gets on by a second; GPUs go, step by step, to
/// the jobs whose value gained less the energy's price is the highest for a GPU. Every job's next
/// step is to another number of GPUs at the clock that is worth most there. Unlike plan_by_shares()
/// it counts on GPUs that ended jobs leave to others. Steps that break a limit are replaced by
/// thriftier ones of the same job, or skipped. Needs O(ways of all jobs + steps log jobs).
Plan plan_by_value(std::span<const PlanJob> jobs, const PlanLimits& limits,
                   const PlanOptions& options = {});

struct PricedPlan {
  Plan plan{};
  double price = 0;  ///< seconds for a joule
};

/// The plan by value at the least price, at least that of `options`, at which a plan that knows
/// nothing of limits of power and energy keeps them; found from `near` outwards to about 5 %. Where
/// no price does, jobs wait.
PricedPlan plan_within(std::span<const PlanJob> jobs, const PlanLimits& limits,
                       const PlanOptions& options, double near);

}  // namespace penstock
