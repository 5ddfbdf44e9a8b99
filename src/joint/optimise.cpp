#include "joint/optimise.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "joint/builder.h"
#include "joint/list_rule.h"
#include "joint/search.h"

namespace penstock {
namespace {

/// Jobs in the order of a first-principle method.
std::vector<std::uint32_t> queue_order(const JointProblem& problem, JointMethod method) {
  std::vector<std::uint32_t> order(problem.jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t j) {
    const JointJob& job = problem.jobs[j];
    if (method == JointMethod::edf) return std::pair(job.deadline, job.submitted);
    if (method == JointMethod::priority) return std::pair(-job.weight, job.submitted);
    return std::pair(job.submitted, 0.0);
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

ElitePool search_plans(Search& search) {
  if (search.settings.method == JointMethod::greedy) return greedy_plans(search);
  if (search.settings.method == JointMethod::random_greedy) return random_plans(search, 1);
  ElitePool pool = local_search(search, random_plans(search, search.settings.elites));
  if (search.settings.method == JointMethod::local_search) return pool;
  return polish(search, local_search(search, relink(search, pool)));
}

JointResult finished(const JointProblem& problem, JointAim aim, Assignments plan) {
  JointResult result;
  result.cost = joint_cost(problem, plan, aim);
  result.first_finish = first_finish(problem, plan);
  result.jobs = std::move(plan);
  return result;
}

}  // namespace

JointResult optimise(const JointProblem& problem, const JointSettings& settings) {
  const JointMethod method = settings.method;
  PENSTOCK_CHECK(method != JointMethod::exact);
  if (method == JointMethod::atc) return finished(problem, settings.aim, list_plan(problem));
  if (method == JointMethod::fifo || method == JointMethod::edf ||
      method == JointMethod::priority) {
    const auto plan =
        Builder(problem).untouched(queue_order(problem, method), all_rankings(problem));
    return finished(problem, settings.aim, plan);
  }
  TimeBudget time_budget(settings.time_limit);
  Search search = begin_search(problem, settings, time_budget);
  const ElitePool pool = search_plans(search);
  JointResult result = finished(problem, settings.aim, pool.plans().front().plan);
  result.evaluated = search.evaluated;
  result.cut_short = time_budget.is_over();
  return result;
}

}  // namespace penstock
