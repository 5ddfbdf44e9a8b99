#pragma once

#include <algorithm>
#include <vector>

#include "joint/problem.h"

namespace penstock {

/// No job waits that would fit beside those that run.
inline bool is_complete(const JointProblem& problem, const Assignments& plan) {
  std::vector<std::uint32_t> used(problem.nodes.size(), 0);
  for (std::size_t j = 0; j < plan.size(); ++j)
    if (plan[j]) used[plan[j]->node] += problem.jobs[j].options[plan[j]->option].slices;
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

}  // namespace penstock
