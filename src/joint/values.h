#pragma once

#include <vector>

#include "joint/problem.h"

namespace penstock {

/// What it is worth, by JointAim::pace, that a job gets on: a rate of money for each plan that is
/// the better the lower it is. With D the time to the deadline, t a job's fastest way, m the mean
/// of t over all jobs and I the time to the next decision:
///
///   worth   = marginal_cost(), at later prices, + 0.12 · weight · exp(−max(0, D − t)/m) · m
///   pace    = max(0, 1 − restart/I) / seconds, without the restart for a job that goes on as is
///   running → − worth · pace
///
/// The first part of the worth makes every job do its work where and when that is cheapest for its
/// own deadline. The second is the rule of weighted shortest job first over unlike machines (c·mu),
/// with the look-ahead of apparent tardiness cost: who is to be late if he waits goes first. Where
/// GPUs are not scarce (to meet their deadlines, where they can, jobs need at most 0.7 of them)
/// there is no need to choose among jobs: 0.01 stands for 0.12, and lateness itself counts:
///
///   running → + weight · max(0, T − max(t, D))/T     with T its run time, restart included
///   waiting → + weight · min(1, max(0, I − (D − t))/I)
class Values {
 public:
  /// `problem` must outlive it.
  explicit Values(const JointProblem& problem);

  double running(std::uint32_t job, const Assignment& at) const;
  double waiting(std::uint32_t job) const { return waiting_[job]; }
  /// Jobs, most urgent first.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  bool is_scarce() const;
  void find_waiting(const std::vector<double>& slack);

  const JointProblem& problem_;
  bool scarce_ = false;
  std::vector<double> fastest_;  ///< by job
  std::vector<double> worth_;    ///< by job
  std::vector<double> waiting_;  ///< by job
  std::vector<std::uint32_t> order_;
};

}  // namespace penstock
