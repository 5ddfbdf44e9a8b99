#pragma once

#include <span>
#include <vector>

#include "base/rng.h"
#include "joint/joint_plan.h"
#include "joint/problem.h"

namespace penstock {

/// The options of a job in the order in which it takes them, as published: of its options that meet
/// the deadline the cheapest, otherwise the fastest.
struct OptionRanking {
  std::vector<std::uint32_t> options{};  ///< those that some node could hold, best first
  std::uint32_t in_time = 0;             ///< so many of them, the first ones, meet the deadline
};

/// How late a job would be if it started now in its fastest way; negative if in time.
double pressure(const JointProblem& problem, const JointJob& job);

/// Money for running a job in one of its ways to its end, its share of a node only.
double option_cost(const JointProblem& problem, const JointOption& option);

/// Indexed like the problem's jobs.
std::vector<OptionRanking> all_rankings(const JointProblem& problem);

/// Jobs, highest pressure first.
std::vector<std::uint32_t> by_pressure(const JointProblem& problem);

/// How far a randomised plan strays from the greedy one.
struct Randomisation {
  double swap = 0.05;     ///< neighbours in the queue change places by a half, less or more this
  double options = 0.05;  ///< the share of its options from which a job takes one by chance
  double nodes =
      0.2;  ///< the share of the nodes with room for it from which it takes one by chance
  std::uint32_t fewest = 2;  ///< at least so many, where there are
  bool rounds_up = true;     ///< the shares above: up, or to the nearest

  /// What the authors' program does. One of fewer than thirty options is always the first, and of
  /// two neighbours in the queue the lighter one tends to be the first.
  static constexpr Randomisation published() {
    return {.swap = -0.05, .fewest = 1, .rounds_up = false};
  }
};

/// Builds complete plans job by job, each in the first of its ways for which there is room:
/// on the best fitting node in use, or else on an unused one. Keeps its buffers.
class Builder {
 public:
  /// `problem` must outlive it.
  explicit Builder(const JointProblem& problem);

  /// Jobs in this order, each by its ranking of options.
  Assignments greedy(std::span<const std::uint32_t> order, std::span<const OptionRanking> rankings);
  /// Jobs in an order near this one, each by one of its best options, both drawn from `rng`.
  Assignments randomised(std::span<const std::uint32_t> order,
                         std::span<const OptionRanking> rankings,
                         const Randomisation& randomisation, Rng rng);
  /// Jobs that run stay as they are; others start in this order where there is room.
  Assignments untouched(std::span<const std::uint32_t> order,
                        std::span<const OptionRanking> rankings);

 private:
  struct Draw;
  void place(std::uint32_t job, const OptionRanking& rankings, Draw* draw);
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
