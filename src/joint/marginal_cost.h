#pragma once

#include <vector>

#include "joint/problem.h"

namespace penstock {

/// Money an hour for each slice of a full node, by type; endless if no node has GPUs to plan with.
std::vector<double> full_rates(const JointProblem& problem);

/// Money for finishing a job in one of its ways, at full_rates().
double finishing_cost(const JointOption& option, const std::vector<double>& rates);

/// What the whole of a job's work is worth by what the last bit of it costs, were the job alone:
/// the dual of choosing how much of it to do in which way so that machines and tardiness together
/// come to least. With time to spare that is the cost of its cheapest way, with none that of the
/// fastest and all its lateness. `left` are the seconds to its deadline. 0 if it cannot run.
double marginal_cost(const JointJob& job, const std::vector<double>& rates, double left);

}  // namespace penstock
