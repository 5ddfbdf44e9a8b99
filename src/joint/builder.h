#pragma once

#include <span>
#include <vector>

#include "base/rng.h"
#include "joint/joint_plan.h"
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

/// How far a randomised plan strays from the greedy one; as published, but for `fewest`.
struct Luck {
  double swap = 0.05;        ///< neighbours in the queue change places by a half, less or more this
  double options = 0.05;     ///< the share of its options from which a job takes one by chance
  double nodes = 0.2;        ///< the same of the nodes with room for it
  std::uint32_t fewest = 2;  ///< at least so many, where there are; published: 1
};

/// Builds complete plans job by job, each in the first of its ways for which there is room:
/// on the best fitting node in use, or else on an unused one. Keeps its buffers.
class Builder {
 public:
  /// `problem` must outlive it.
  explicit Builder(const JointProblem& problem);

  /// Jobs in this order, each by its wishes.
  Assignments greedy(std::span<const std::uint32_t> order, std::span<const Wishes> wishes);
  /// The same with some luck.
  Assignments randomised(std::span<const std::uint32_t> order, std::span<const Wishes> wishes,
                         const Luck& luck, Rng rng);
  /// Jobs that run stay as they are; others start in this order where there is room.
  Assignments untouched(std::span<const std::uint32_t> order, std::span<const Wishes> wishes);

 private:
  struct Draw;
  void place(std::uint32_t job, const Wishes& wishes, Draw* draw);
  bool try_option(std::uint32_t job, std::uint32_t option, Draw* draw);
  bool try_stay(std::uint32_t job, std::uint32_t option);
  void assign(std::uint32_t job, std::uint32_t node, std::uint32_t option);
  void use_what_is_paid();
  bool is_paid(std::uint32_t job, std::uint32_t node, const JointOption& wider) const;
  bool widen(std::uint32_t node);

  const JointProblem& problem_;
  Filling filling_;
  Assignments plan_;
  std::vector<std::vector<std::uint32_t>> on_;  ///< jobs by node
};

}  // namespace penstock
