#include "joint/objective.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kWaitingPenalty = 100;  // as published

std::vector<std::uint32_t> slices_used(const JointProblem& problem, const Assignments& plan) {
  std::vector<std::uint32_t> used(problem.nodes.size(), 0);
  for (std::size_t j = 0; j < plan.size(); ++j)
    if (plan[j]) used[plan[j]->node] += problem.jobs[j].options[plan[j]->option].slices;
  return used;
}

JointCost until_first_finish(const JointProblem& problem, const Assignments& plan) {
  JointCost cost;
  const double until = first_finish(problem, plan);
  const auto used = slices_used(problem, plan);
  for (std::size_t n = 0; n < used.size(); ++n)
    cost.energy +=
        problem.nodes[n].cost[gpus_for(used[n], problem.slices)] * until / kSecondsPerHour;
  for (std::uint32_t j = 0; j < plan.size(); ++j) {
    const JointJob& job = problem.jobs[j];
    if (!plan[j]) {
      cost.waiting += waiting_penalty(problem, job);
      continue;
    }
    cost.energy += job.options[plan[j]->option].own_rate * until / kSecondsPerHour +
                   restart_cost(problem, job, *plan[j]);
    cost.tardiness +=
        job.weight * std::max(0.0, problem.now + until + lost_seconds(job, plan[j]) - job.deadline);
  }
  return cost;
}

JointCost for_an_hour(const JointProblem& problem, const Assignments& plan, const Values& values) {
  JointCost cost;
  const auto used = slices_used(problem, plan);
  for (std::size_t n = 0; n < used.size(); ++n)
    cost.energy += problem.nodes[n].cost[gpus_for(used[n], problem.slices)];
  for (std::uint32_t j = 0; j < plan.size(); ++j) {
    if (!plan[j]) {
      cost.waiting += values.waiting(j) * kSecondsPerHour;
      continue;
    }
    cost.energy += problem.jobs[j].options[plan[j]->option].own_rate;
    cost.tardiness += values.running(j, *plan[j]) * kSecondsPerHour;
  }
  return cost;
}

}  // namespace

double lost_seconds(const JointJob& job, const std::optional<Assignment>& to) {
  return job.running && job.running != to ? job.restart : 0;
}

double run_seconds(const JointJob& job, const Assignment& to) {
  return lost_seconds(job, to) + job.options[to.option].seconds;
}

double restart_cost(const JointProblem& problem, const JointJob& job, const Assignment& to) {
  const double lost = lost_seconds(job, to);
  if (lost == 0) return 0;
  const JointOption& option = job.options[to.option];
  const double alone = problem.nodes[to.node].cost[gpus_for(option.slices, problem.slices)];
  return (alone + option.own_rate) * lost / kSecondsPerHour;
}

double waiting_penalty(const JointProblem& problem, const JointJob& job) {
  const double slowest = std::ranges::max(job.options, {}, &JointOption::seconds).seconds;
  const double late = problem.now + slowest + lost_seconds(job, std::nullopt) - job.deadline;
  return kWaitingPenalty * job.weight * std::max(0.0, late);
}

double first_finish(const JointProblem& problem, const Assignments& plan) {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < plan.size(); ++j)
    if (plan[j]) first = std::min(first, run_seconds(problem.jobs[j], *plan[j]));
  return first == std::numeric_limits<double>::infinity() ? 0 : first;
}

bool is_complete(const JointProblem& problem, const Assignments& plan) {
  const auto used = slices_used(problem, plan);
  const auto fits = [&](const JointOption& option) {
    for (std::size_t n = 0; n < used.size(); ++n)
      if (problem.nodes[n].type == option.type &&
          used[n] + option.slices <= problem.nodes[n].gpus * problem.slices)
        return true;
    return false;
  };
  for (std::size_t j = 0; j < plan.size(); ++j)
    if (!plan[j] && std::ranges::any_of(problem.jobs[j].options, fits)) return false;
  return true;
}

JointCost joint_cost(const JointProblem& problem, const Assignments& plan, JointAim aim) {
  if (aim == JointAim::first_finish) return until_first_finish(problem, plan);
  return for_an_hour(problem, plan, Values(problem));
}

Judge::Judge(const JointProblem& problem, JointAim aim) : problem_(problem) {
  if (aim == JointAim::pace) values_.emplace(problem);
}

double Judge::cost(const Assignments& plan) {
  return values_ ? for_an_hour(problem_, plan, *values_).total()
                 : until_first_finish(problem_, plan).total();
}

}  // namespace penstock
