#pragma once

#include <memory>
#include <optional>

#include "joint/optimise.h"
#include "joint/problem.h"
#include "policies/andreas/instance.h"
#include "policy/policy_table.h"

namespace penstock {

/// Seconds until some job of the plan, if all go on as planned, could change to a cheaper way and
/// still be in time. A job that began with many GPUs to meet its deadline need not keep them: its
/// remaining time shrinks faster than the time to its deadline. A change takes `restart` seconds.
std::optional<double> until_thriftier(const JointProblem& problem, const Assignments& plan,
                                      double restart);

struct AndreasOptions {
  JointSettings plan{};
  InstanceSpec instance{};
};

/// ANDREAS (Filippini et al. 2021, 2023): at every event all jobs are planned anew, running ones
/// included. `cluster` must outlive it.
std::unique_ptr<Policy> make_andreas(const Cluster& cluster, const AndreasOptions& options);

/// Joint scheduling and capacity allocation, planned anew at every event.
std::span<const PolicyEntry> andreas_policies();

}  // namespace penstock
