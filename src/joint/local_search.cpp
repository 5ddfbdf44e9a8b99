#include <cmath>

#include "joint/moves.h"

namespace penstock {
namespace {

constexpr std::size_t kMostJobs = 10;  // as published
constexpr int kMostRounds = 10;

/// Makes the best improving move there is, of any kind.
bool improve(JointPlan& plan, Search& search, double& cost) {
  const Moves moves(plan, search, kMostJobs);
  Changes best;
  double least = cost;
  Changes undo;
  for (std::size_t kind = 0; kind < Moves::kKinds; ++kind) {
    if (search.patience.is_over()) break;
    moves.list(kind, [&](const Changes& changes) {
      if (!apply(plan, changes, search, undo)) return;
      ++search.evaluated;
      const double after = plan.cost();
      take_back(plan, undo);
      if (after >= least) return;
      least = after;
      best = changes;
    });
  }
  if (best.empty() || least >= cost - 1e-12 * std::abs(cost)) return false;
  apply(plan, best, search, undo);
  cost = least;
  return true;
}

}  // namespace

ElitePool local_search(Search& search, const ElitePool& pool) {
  ElitePool better(pool.plans().size());
  for (const Found& found : pool.plans()) better.offer(found);
  std::uint64_t number = search.settings.iterations;
  for (const Found& found : pool.plans()) {
    if (search.patience.is_over()) break;
    JointPlan plan(search.problem, search.settings.aim, found.plan);
    double cost = plan.cost();
    int rounds = 0;
    while (rounds < kMostRounds && improve(plan, search, cost)) ++rounds;
    if (rounds > 0)
      better.offer({joint_cost(search.problem, plan.jobs(), search.settings.aim).total(), ++number,
                    plan.jobs()});
  }
  return better;
}

}  // namespace penstock
