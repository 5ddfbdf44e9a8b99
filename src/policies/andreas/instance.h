#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "joint/problem.h"
#include "policies/clock_choice.h"
#include "policy/policy.h"

namespace penstock {

/// The sizes in which a job may run on one node, for each GPU type of a cluster.
class Shapes {
 public:
  explicit Shapes(const Cluster& cluster);

  /// Sizes to consider on the largest node of a type: parts of a GPU, up to eight GPUs, and powers
  /// of two beyond; in increasing order.
  const std::vector<std::uint32_t>& sizes(GpuTypeId type) const { return sizes_[type.index]; }
  std::uint32_t largest_node(GpuTypeId type) const { return largest_[type.index]; }

  /// Those of them in which this job runs, and the size it asked for.
  std::vector<std::uint32_t> sizes_for(const Job& job, GpuTypeId type, const Models& models) const;

  /// Whether no single node can hold the job at any allowed size, or it runs on several nodes.
  bool is_wide(const JobState& state, const View& view) const;

 private:
  std::vector<std::uint32_t> largest_;             ///< by type
  std::vector<std::vector<std::uint32_t>> sizes_;  ///< by type
};

/// What power costs at one site, cooling and carbon included. Never negative: being paid for
/// power is no reason to waste it.
struct PowerRate {
  double now = 0;    ///< money an hour for a watt, over the time to the next decision
  double later = 0;  ///< the same over the coming day, as forecast
};

PowerRate power_rate(const View& view, SiteId site, double carbon_price, double interval);

/// Money an hour for a watt, over [from, to) as forecast.
double rate_over(const View& view, SiteId site, double carbon_price, Time from, Time to);

/// Money an hour of a node by GPUs in use, without what its jobs draw beyond idle.
std::vector<double> node_costs(const View& view, NodeId node, double rate, bool nodes_sleep);

/// Money an hour that a job costs beside its node's table: nothing where the table has it all.
double own_cost(const View& view, const Node& node, Watts draw, std::uint32_t gpus, double rate);

/// The part of the scenario that is the same at every instant.
struct InstanceSpec {
  double carbon_price = 0;   ///< money per gram of CO2
  double delay_weight = 0;   ///< money per second late, for jobs that name no weight
  bool nodes_sleep = false;  ///< unused nodes are put to sleep
  bool stochastic = true;    ///< uncertain epochs are planned by their distribution
  std::size_t window = 500;  ///< number of waiting jobs considered, oldest first
  bool waits = false;        ///< jobs wait for cheaper power while there is time
  bool unique = false;       ///< each job has a node for itself
  bool clocks = false;       ///< where GPUs suffice, jobs run at the cheapest clock that is in time
  /// Otherwise, the clock at which jobs with models will run; none: the highest.
  std::optional<ClockChoice> clock{};
};

/// What jobs of several nodes keep from planning.
enum class NodeUse : std::uint8_t {
  open,
  draining,  ///< no other job may start there
  taken,     ///< no other job may run there
};

/// The GPUs of one type at one site, as the planner's type.
struct PoolRate {
  SiteId site{};
  GpuTypeId type{};
  NodeId example{};  ///< its first node
  double rate = 0;   ///< money an hour for a watt
};

/// The planning problem of one instant, and the jobs behind its numbers. Its types are pools, the
/// GPUs of one type at one site; its nodes are the cluster's; time 0 is now.
struct Instance {
  JointProblem problem{};
  std::vector<JobId> jobs{};      ///< by number in the problem
  std::vector<PoolRate> pools{};  ///< by type of the problem
};

/// Jobs that run or wait, in all ways in which they may run on one node; wide ones are left out. A
/// job without a deadline is due when it comes. `use` is indexed by NodeId.
Instance make_instance(const View& view, const Shapes& shapes, const std::vector<NodeUse>& use,
                       double interval, const InstanceSpec& spec);

}  // namespace penstock
