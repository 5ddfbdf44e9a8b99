#pragma once

#include <vector>

#include "joint/problem.h"

namespace penstock {

/// What the jobs that a plan leaves waiting will cost: each in turn takes the GPUs that are due
/// to be free first, on the type where it costs least, in its thriftiest way. Those that a
/// second of waiting costs most, by the time they need, go first.
class Outlast {
 public:
  /// `problem` must outlive it.
  explicit Outlast(const JointProblem& problem);

  double cost(const Assignments& plan);
  /// Jobs, most urgent first.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  /// A job's thriftiest way on one type.
  struct Way {
    std::uint32_t type = 0;
    std::uint32_t slices = 0;
    double seconds = 0;
    double energy = 0;  ///< money for all of it
  };
  struct Waiter {
    double deadline = 0;
    double weight = 0;
    std::vector<Way> ways{};
  };
  void release(std::uint32_t type, std::uint32_t slices, double when);
  double start(const Waiter& waiter);
  double ready_at(const Way& way) const;

  const JointProblem& problem_;
  std::vector<Waiter> waiters_;           ///< indexed like the problem's jobs
  std::vector<std::uint32_t> order_;      ///< jobs, most urgent first
  std::vector<std::uint32_t> capacity_;   ///< slices by type
  std::vector<std::vector<double>> due_;  ///< by type: when each slice is free, a heap
  std::vector<std::uint32_t> taken_;      ///< slices by type, by those that run
};

}  // namespace penstock
