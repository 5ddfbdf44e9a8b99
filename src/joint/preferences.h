#pragma once

#include <vector>

#include "joint/problem.h"

namespace penstock {

/// What each job would like best, as published: of its options that meet the deadline the
/// cheapest, otherwise the fastest.
struct Wishes {
  std::vector<std::uint32_t> options{};  ///< those that some node could hold, best first
  std::uint32_t in_time = 0;             ///< so many of them, the first ones, meet the deadline
};

/// How late a job would be if it started now in its fastest way; negative if in time.
double pressure(const JointProblem& problem, const JointJob& job);

/// Money for running a job in one of its ways to its end, its share of a node only.
double option_cost(const JointProblem& problem, const JointOption& option);

/// Indexed like the problem's jobs.
std::vector<Wishes> all_wishes(const JointProblem& problem);

/// Jobs, highest pressure first.
std::vector<std::uint32_t> by_pressure(const JointProblem& problem);

}  // namespace penstock
