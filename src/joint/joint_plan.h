#pragma once

#include <memory>
#include <span>
#include <vector>

#include "joint/objective.h"
#include "joint/problem.h"

namespace penstock {

/// How full the nodes of a plan are, and which of them a job fits best.
class Filling {
 public:
  /// Nothing is used. `problem` must outlive it.
  explicit Filling(const JointProblem& problem);

  void clear();
  void take(std::uint32_t node, std::uint32_t slices);
  void give(std::uint32_t node, std::uint32_t slices);

  std::uint32_t used(std::uint32_t node) const { return used_[node]; }
  std::uint32_t free(std::uint32_t node) const { return free_beside(node, used_[node]); }
  /// What would be free of it without so many of the slices that are used.
  std::uint32_t free_without(std::uint32_t node, std::uint32_t slices) const {
    return free_beside(node, used_[node] - slices);
  }
  std::uint64_t free() const { return free_; }

  /// The `rank`-th best node for so many slices of a type: nodes in use before others, of those
  /// the one that has least left over, of unused ones the largest. The last one if there are
  /// fewer; nothing if none has room.
  std::optional<std::uint32_t> best_fit(std::uint32_t type, std::uint32_t slices,
                                        std::uint32_t rank = 0) const;
  /// Nodes that have room for so many slices of a type, counted up to `most`.
  std::uint32_t fits(std::uint32_t type, std::uint32_t slices, std::uint32_t most) const;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t free_beside(std::uint32_t node, std::uint32_t used) const {
    return problem_.unique && used > 0 ? 0 : capacity_[node] - used;
  }
  void use(std::uint32_t node, std::uint32_t slices);
  /// Nodes of one type with the same number of free slices, in use or not: a linked list.
  std::uint32_t& bucket(std::uint32_t node);
  void link(std::uint32_t node);
  void unlink(std::uint32_t node);
  template <class Visit>
  void visit(std::uint32_t type, std::uint32_t slices, Visit visit) const;

  const JointProblem& problem_;
  std::uint32_t levels_ = 0;  ///< largest capacity of a node, and one
  std::vector<std::uint32_t> capacity_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> in_use_;  ///< first node by type, then free slices
  std::vector<std::uint32_t> unused_;
  std::uint64_t free_ = 0;
};

/// The change of one job's assignment.
struct Change {
  std::uint32_t job = 0;
  std::optional<Assignment> to{};
};

/// What changes of a plan would come to, without making them.
struct ChangeEstimate {
  bool has_room = true;   ///< false: they cannot be made
  bool is_exact = false;  ///< no other job could start where they leave room
  double cost = 0;        ///< more than at present, if exact
};

/// A plan that updates its cost after every change, without adding it up again: by
/// JointAim::first_finish a change takes a logarithm of the number of jobs, by JointAim::pace
/// always the same.
class JointPlan {
 public:
  /// An empty plan. `problem` must outlive it.
  JointPlan(const JointProblem& problem, JointAim aim);
  JointPlan(const JointProblem& problem, JointAim aim, const Assignments& plan);
  /// By pace with these values, which must outlive it, or by the published objective if there are
  /// none.
  JointPlan(const JointProblem& problem, const Values* values);
  JointPlan(const JointProblem& problem, const Values* values, const Assignments& plan);

  const Assignments& jobs() const { return plan_; }
  const std::optional<Assignment>& of(std::uint32_t job) const { return plan_[job]; }
  const std::vector<std::uint32_t>& on(std::uint32_t node) const { return on_[node]; }
  const Filling& filling() const { return filling_; }
  const JointProblem& problem() const { return problem_; }

  /// There must be room. Nothing means that the job waits.
  void set(std::uint32_t job, const std::optional<Assignment>& to);
  bool has_room(std::uint32_t job, const Assignment& to) const;

  double cost() const;
  /// The number of jobs that wait.
  std::size_t waiting() const { return waiting_; }
  /// Of changes of different jobs. By the published objective it is never exact.
  ChangeEstimate estimate(std::span<const Change> changes) const;

 private:
  /// A node, and how many of its slices are used after some changes.
  struct NodeChange {
    std::uint32_t node = 0;
    std::uint32_t used = 0;
  };
  NodeChange& change_of(std::uint32_t node, std::vector<NodeChange>& nodes) const;
  bool find_nodes(std::span<const Change> changes) const;
  double value_of(std::uint32_t job, const std::optional<Assignment>& at) const;
  double cost_of(const NodeChange& change) const;
  void add(std::uint32_t job, const Assignment& at);
  void remove(std::uint32_t job);
  void change_seconds(std::uint32_t job, double seconds);
  void weigh(std::uint32_t key, double weight);
  double tardiness_at(double until) const;
  double node_rate(std::uint32_t node) const;

  JointPlan(const JointProblem& problem, std::unique_ptr<const Values> values);
  void prepare_published();
  void set_all(const Assignments& plan);

  const JointProblem& problem_;
  std::unique_ptr<const Values> own_;  ///< null where somebody else keeps the values
  const Values* values_ = nullptr;     ///< by pace
  Filling filling_;
  Assignments plan_;
  std::vector<std::vector<std::uint32_t>> on_;  ///< jobs by node

  std::size_t waiting_ = 0;
  mutable std::vector<NodeChange> estimated_;  ///< kept for its memory
  double rate_ = 0;      ///< money an hour of all nodes, and of jobs by themselves
  double constant_ = 0;  ///< restarts and penalties for waiting
  std::vector<double> penalties_;
  std::vector<double> first_;  ///< a tree of run times, the least on top
  std::size_t leaves_ = 1;
  std::vector<double> due_;  ///< deadlines from now, less restarts: sorted
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys_;  ///< of each job: staying, changed
  std::vector<double> weights_;       ///< Fenwick trees over `due_`: weights of those that run,
  std::vector<double> weighted_due_;  ///< and weights times due
};

}  // namespace penstock
