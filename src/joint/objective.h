#pragma once

#include <cstdint>

#include "joint/problem.h"
#include "joint/values.h"

namespace penstock {

/// What a plan is judged by.
enum class JointAim : std::uint8_t {
  /// As published: cost and tardiness until the first job of the plan ends, and a hundredfold
  /// penalty for jobs that wait although they could be late.
  first_finish,
  /// Money an hour, less the worth of what the jobs get done in it (joint/values.h): what to do
  /// until the next decision, when it is clear that there will be one.
  pace,
};

struct JointCost {
  double energy = 0;     ///< of nodes in use: power, or rent
  double tardiness = 0;  ///< of the jobs that run; by pace, the worth of what they do too
  double waiting = 0;    ///< penalty of those that wait
  double total() const { return energy + tardiness + waiting; }
};

/// What a job loses by doing this instead of going on as at present: its restart, or nothing if
/// it stays as it is or had not begun.
double lost_seconds(const JointJob& job, const std::optional<Assignment>& to);
/// How long it will take so, what it loses included.
double run_seconds(const JointJob& job, const Assignment& to);
/// What its GPUs alone cost while it restarts.
double restart_cost(const JointProblem& problem, const JointJob& job, const Assignment& to);
/// What JointAim::first_finish asks for a job that waits.
double waiting_penalty(const JointProblem& problem, const JointJob& job);

/// Seconds until the first job of the plan ends; 0 if none runs.
double first_finish(const JointProblem& problem, const Assignments& plan);

/// No job waits that would fit beside those that run. Every method makes complete plans, and
/// exact seeks the best of them: by the published objective, doing nothing would often be
/// cheapest.
bool is_complete(const JointProblem& problem, const Assignments& plan);

/// A plan's cost, added up from scratch: slow, simple, and what incremental evaluation must
/// agree with. For JointAim::first_finish, with D = first_finish() and T = now + D:
///
///   sum over nodes   cost[GPUs in use] · D/3600
/// + sum over running own_rate · D/3600 + restart_cost + weight · max(0, T + lost − deadline)
/// + sum over waiting 100 · weight · max(0, now + slowest + lost − deadline)
///
/// where `lost` is the job's restart if the plan changes how it runs at present (0 if it stays
/// or had not begun), `slowest` its longest option, and restart_cost what its GPUs alone would
/// cost for `lost` seconds: (node.cost[its GPUs] + own_rate) · lost/3600. D counts `lost` too.
/// Nodes of which no GPU is in use count with cost[0]. For JointAim::pace, an hour's cost of the
/// nodes and the values of all jobs, running and waiting.
JointCost joint_cost(const JointProblem& problem, const Assignments& plan, JointAim aim);

/// The total of joint_cost() for many plans of one problem.
class Judge {
 public:
  /// `problem` must outlive it.
  Judge(const JointProblem& problem, JointAim aim);
  double cost(const Assignments& plan);

 private:
  const JointProblem& problem_;
  std::optional<Values> values_;  ///< by pace
};

}  // namespace penstock
