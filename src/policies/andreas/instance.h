#pragma once

#include <cstdint>
#include <vector>

#include "joint/problem.h"
#include "policies/andreas/shapes.h"
#include "policy/policy.h"

namespace penstock {

/// What of the scenario is the same at every instant.
struct InstanceSpec {
  double carbon_price = 0;   ///< money per gram of CO2
  double delay_weight = 0;   ///< money per second late, for jobs that name no weight
  bool nodes_sleep = false;  ///< unused nodes are put to sleep
  bool stochastic = true;    ///< uncertain epochs are planned by their distribution
  std::size_t window = 500;  ///< so many waiting jobs are looked at, those that came first
};

/// What jobs of several nodes keep from planning.
enum class NodeUse : std::uint8_t {
  open,
  draining,  ///< nobody else may start there
  taken,     ///< nobody may be there
};

/// The planning problem of one instant, and whom its numbers stand for. Its types are pools,
/// the GPUs of one type at one site; its nodes are the cluster's; time 0 is now.
struct Instance {
  JointProblem problem{};
  std::vector<JobId> jobs{};  ///< by number in the problem
};

/// Jobs that run or wait, in all ways in which they may run on one node; wide ones are left out. A
/// job without a deadline is due when it comes. `use` is indexed by NodeId.
Instance make_instance(const View& view, const Shapes& shapes, const std::vector<NodeUse>& use,
                       double interval, const InstanceSpec& spec);

}  // namespace penstock
