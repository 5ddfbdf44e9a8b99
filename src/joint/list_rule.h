#pragma once

#include <vector>

#include "joint/problem.h"

namespace penstock {

/// How far ahead apparent tardiness cost looks, in mean run times.
inline constexpr double kLookAhead = 2;

/// Jobs by apparent tardiness cost (Vepsalainen and Morton 1987), highest first. With p the run
/// time of a job in the fastest of its narrow ways, m the mean of p over all jobs and D the time to
/// its deadline:
///
///   index = weight / p · exp(−max(0, D − p)/(kLookAhead · m))
///
/// Its narrow way on a type has one GPU; if it cannot run on one, the fewest GPUs with which it
/// can, or else the largest part of one.
std::vector<std::uint32_t> by_apparent_tardiness(const JointProblem& problem);

/// A plan by that order, each job in a narrow way: on the type with room where it would end first,
/// restart counted. A job that keeps its type stays where it is. Energy does not count. Where no
/// narrow way has room, a job takes any other that has, so that the plan is complete.
Assignments list_plan(const JointProblem& problem);

}  // namespace penstock
