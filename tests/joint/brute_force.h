#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "joint/complete_plan.h"
#include "joint/objective.h"

namespace penstock {

/// The least cost of all complete plans, one by one.
class BruteForce {
 public:
  BruteForce(const JointProblem& problem, JointAim aim)
      : problem_(problem),
        judge_(problem, aim),
        plan_(problem.jobs.size()),
        used_(problem.nodes.size(), 0) {
    extend(0);
  }
  double least() const { return least_; }

 private:
  void extend(std::size_t job) {
    if (job == plan_.size()) {
      if (is_complete(problem_, plan_)) least_ = std::min(least_, judge_.cost(plan_));
      return;
    }
    extend(job + 1);
    for (std::uint32_t n = 0; n < problem_.nodes.size(); ++n)
      for (std::uint32_t o = 0; o < problem_.jobs[job].options.size(); ++o)
        place(job, {.node = n, .option = o});
  }

  void place(std::size_t job, Assignment where) {
    const JointOption& option = problem_.jobs[job].options[where.option];
    const JointNode& node = problem_.nodes[where.node];
    if (option.type != node.type || used_[where.node] + option.slices > node.gpus * problem_.slices)
      return;
    used_[where.node] += option.slices;
    plan_[job] = where;
    extend(job + 1);
    plan_[job].reset();
    used_[where.node] -= option.slices;
  }

  const JointProblem& problem_;
  PlanEvaluator judge_;
  Assignments plan_;
  std::vector<std::uint32_t> used_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace penstock
