#include "solve/exact_plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <queue>
#include <set>

#include "joint/optimise.h"
#include "solve/plan_program.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

/// All plans with the same first finish, and what is known of them so far. By pace, all plans:
/// then it does not matter.
struct Candidate {
  double at_least = 0;
  double finish = 0;
  bool relaxed = false;  ///< `at_least` is of the relaxed program, not of a glance
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::pair(a.at_least, a.finish) > std::pair(b.at_least, b.finish);  // least on top
  }
};

/// Every job in turn, wherever there is room.
Assignments any_complete(const JointProblem& problem, const std::vector<Choice>& choices) {
  Assignments plan(problem.jobs.size());
  std::vector<std::uint32_t> used(problem.nodes.size(), 0);
  for (const Choice& choice : choices) {
    const std::uint32_t node = choice.where.node;
    if (plan[choice.job] || used[node] + choice.slices > problem.nodes[node].gpus * problem.slices)
      continue;
    plan[choice.job] = choice.where;
    used[node] += choice.slices;
  }
  return plan;
}

/// Best first over the times at which the first job can end: each is bounded at a glance, then
/// by its relaxed program, then solved, and only as far as it could still hold a better plan.
class ExactSearch {
 public:
  ExactSearch(const JointProblem& problem, const JointSettings& settings)
      : problem_(problem), settings_(settings), choices_(all_choices(problem)) {
    offer(any_complete(problem, choices_));
    std::set<double> finishes;
    for (const Choice& choice : choices_)
      finishes.insert(settings.aim == JointAim::pace ? 0 : choice.seconds);
    for (const double finish : finishes)
      open_.push({.at_least = quick_bound(problem, choices_, prices_of(finish)), .finish = finish});
  }

  JointResult run() {
    while (!open_.empty() && may_improve(open_.top().at_least)) {
      if (seconds_left() <= 0) {
        best_.cut_short = true;
        break;
      }
      const Candidate next = open_.top();
      open_.pop();
      if (next.relaxed)
        solve(next);
      else
        relax(next);
    }
    best_.at_least = best_.cost.total();
    if (best_.cut_short)
      best_.at_least =
          std::min(best_.cost.total(), open_.empty() ? kNoLimit : open_.top().at_least);
    return std::move(best_);
  }

 private:
  /// By more than what adding up in another order could change.
  bool may_improve(double at_least) const {
    const double cost = best_.cost.total();
    return at_least < cost - 1e-11 * std::abs(cost);
  }

  double seconds_left() const {
    if (!settings_.time_limit) return kNoLimit;
    const std::chrono::duration<double> spent = Clock::now() - begun_;
    return seconds(*settings_.time_limit) - spent.count();
  }

  Prices prices_of(double finish) const {
    return settings_.aim == JointAim::pace ? prices_by_pace(problem_, choices_)
                                           : prices_until(finish, problem_, choices_);
  }

  PlanProgram program_of(const Candidate& candidate) const {
    constexpr double kUsualSum = 1000;  // solvers' tolerances are absolute
    const JointCost& best = best_.cost;
    const double cost = std::abs(best.energy) + std::abs(best.tardiness) + std::abs(best.waiting);
    return {problem_, choices_, prices_of(candidate.finish), cost > 0 ? kUsualSum / cost : 1};
  }

  void relax(const Candidate& candidate) {
    const PlanProgram plans = program_of(candidate);
    ++best_.evaluated;
    const auto answer = solve_relaxed(plans.program());
    if (!answer) return;
    open_.push({.at_least = std::max(candidate.at_least, plans.to_cost(answer->at_least)),
                .finish = candidate.finish,
                .relaxed = true});
  }

  void solve(const Candidate& candidate) {
    const PlanProgram plans = program_of(candidate);
    ++best_.evaluated;
    const WholeAnswer answer = solve_whole(
        plans.program(), {.below = plans.to_sum(best_.cost.total()), .seconds = seconds_left()});
    if (!answer.values.empty()) offer(plans.plan(answer.values));
    if (answer.proven) return;
    open_.push({.at_least = std::max(candidate.at_least, plans.to_cost(answer.at_least)),
                .finish = candidate.finish,
                .relaxed = true});
  }

  void offer(Assignments plan) {
    const JointCost cost = joint_cost(problem_, plan, settings_.aim);
    if (!best_.jobs.empty() && cost.total() >= best_.cost.total()) return;
    best_.cost = cost;
    best_.first_finish = first_finish(problem_, plan);
    best_.jobs = std::move(plan);
  }

  const JointProblem& problem_;
  const JointSettings& settings_;
  Clock::time_point begun_ = Clock::now();
  std::vector<Choice> choices_;
  std::priority_queue<Candidate> open_;
  JointResult best_;
};

}  // namespace

JointResult exact_plan(const JointProblem& problem, const JointSettings& settings) {
  return ExactSearch(problem, settings).run();
}

JointResult make_plan(const JointProblem& problem, const JointSettings& settings) {
  return settings.method == JointMethod::exact ? exact_plan(problem, settings)
                                               : optimise(problem, settings);
}

}  // namespace penstock
