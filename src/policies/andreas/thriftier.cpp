#include "policies/andreas/thriftier.h"

#include <algorithm>

#include "joint/marginal_cost.h"

namespace penstock {
namespace {

constexpr double kWorthIt = 0.98;  ///< a change must save a fiftieth of what is left to pay
constexpr double kSoonest = 60;    ///< seconds between two looks
constexpr double kRestarts = 4;    ///< likewise, in restarts

/// When the cheaper of two ways becomes possible; nothing if it is now, or never.
std::optional<double> change_from(const JointOption& now, const JointOption& then, double restart,
                                  double left) {
  if (then.worst <= now.worst) return std::nullopt;
  const double needed = then.worst + restart;
  if (needed <= left) return std::nullopt;
  // After x seconds: then.worst (1 − x / now.worst) + restart = left − x.
  const double wait = (needed - left) / (then.worst / now.worst - 1);
  return wait < now.worst ? std::optional(wait) : std::nullopt;
}

}  // namespace

std::optional<double> until_thriftier(const JointProblem& problem, const Assignments& plan,
                                      double restart) {
  const std::vector<double> rates = full_rates(problem);
  std::optional<double> soonest;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (!plan[j]) continue;
    const JointJob& job = problem.jobs[j];
    const JointOption& now = job.options[plan[j]->option];
    const double cost = finishing_cost(now, rates);
    for (const JointOption& then : job.options) {
      if (finishing_cost(then, rates) > kWorthIt * cost) continue;
      const auto wait = change_from(now, then, restart, job.deadline - problem.now);
      if (!wait) continue;
      const double later = std::max({*wait, kSoonest, kRestarts * restart});
      soonest = soonest ? std::min(*soonest, later) : later;
    }
  }
  return soonest;
}

}  // namespace penstock
