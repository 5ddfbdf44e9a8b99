#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "joint/objective.h"
#include "solve/linear_program.h"

namespace penstock {

/// One way to run one job, on a node that can hold it.
struct Choice {
  std::uint32_t job = 0;
  Assignment where{};
  std::uint32_t slices = 0;
  double seconds = 0;  ///< until it ends, its restart included
  double lost = 0;     ///< the restart
};

/// All there are, by job, node and option.
std::vector<Choice> all_choices(const JointProblem& problem);

/// The cost of each part of a plan, where it does not depend on the other parts.
struct Prices {
  double hours = 0;                ///< that nodes are paid for
  std::vector<double> running{};   ///< of choices, beside their nodes
  std::vector<double> waiting{};   ///< of jobs
  std::optional<double> finish{};  ///< the first job ends after exactly so many seconds
};
/// By JointAim::first_finish, with that finish fixed.
Prices prices_until(double finish, const JointProblem& problem, std::span<const Choice> choices);
/// By JointAim::pace.
Prices prices_by_pace(const JointProblem& problem, std::span<const Choice> choices);

/// A quickly computed lower bound on the cost of any plan at these prices.
double quick_bound(const JointProblem& problem, std::span<const Choice> choices,
                   const Prices& prices);

/// The complete plans at fixed prices as an integer program: every choice is a column, unless it
/// ends before the first job may, and so is every number of GPUs that a node can have in use.
class PlanProgram {
 public:
  /// Sums of the program are costs times `scale`, less those of an empty plan.
  PlanProgram(const JointProblem& problem, std::span<const Choice> choices, Prices prices,
              double scale);

  const LinearProgram& program() const { return program_; }
  double to_cost(double sum) const { return sum / scale_ + empty_; }
  double to_sum(double cost) const { return (cost - empty_) * scale_; }
  Assignments plan(const std::vector<double>& values) const;

 private:
  void add_columns();
  void add_job_rows();
  void add_node_rows();
  void add_completeness();
  void add_order_of_like_nodes();

  const JointProblem& problem_;
  Prices prices_;
  double scale_;
  double empty_ = 0;             ///< cost of an empty plan
  std::vector<double> costs_;    ///< of choices, beside their nodes and their jobs' waiting
  std::vector<Choice> choices_;  ///< columns 0, 1, 2 …
  /// Slices that a job takes at least of a node, by job and node.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> least_;
  std::vector<int> first_use_;  ///< by node: the column of one GPU in use
  LinearProgram program_;
};

}  // namespace penstock
