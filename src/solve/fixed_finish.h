#pragma once

#include <map>
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

/// What a choice costs beside its node when the first job ends after `finish` seconds.
double cost_until(double finish, const JointProblem& problem, const Choice& choice);

/// Least that any plan can cost whose first job ends after `finish` seconds, at a glance.
double quick_bound(double finish, const JointProblem& problem, std::span<const Choice> choices);

/// The complete plans of which the first job ends after exactly `finish` seconds, as an integer
/// program. With that fixed, all costs are linear: every choice that ends no earlier is a column,
/// and so is every number of GPUs that a node can have in use.
class FixedFinish {
 public:
  /// Sums of the program are costs times `scale`, less those of an empty plan.
  FixedFinish(const JointProblem& problem, std::span<const Choice> choices, double finish,
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
  double finish_;
  double scale_;
  double empty_ = 0;             ///< cost of an empty plan over `finish`
  std::vector<Choice> choices_;  ///< columns 0, 1, 2 …
  /// Slices that a job takes at least of a node, by job and node.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> least_;
  std::vector<int> first_use_;  ///< by node: the column of one GPU in use
  LinearProgram program_;
};

}  // namespace penstock
