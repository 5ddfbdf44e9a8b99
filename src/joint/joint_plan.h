#pragma once

#include <vector>

#include "joint/filling.h"
#include "joint/objective.h"
#include "joint/values.h"

namespace penstock {

/// A plan that knows what it costs after every change, without being added up again: by
/// JointAim::first_finish a change takes a logarithm of the number of jobs, by JointAim::pace
/// always the same.
class JointPlan {
 public:
  /// Nobody runs. `problem` must outlive it.
  JointPlan(const JointProblem& problem, JointAim aim);
  JointPlan(const JointProblem& problem, JointAim aim, const Assignments& plan);

  const Assignments& jobs() const { return plan_; }
  const std::optional<Assignment>& of(std::uint32_t job) const { return plan_[job]; }
  const std::vector<std::uint32_t>& on(std::uint32_t node) const { return on_[node]; }
  const Filling& filling() const { return filling_; }
  const JointProblem& problem() const { return problem_; }

  /// There must be room. Nothing means that the job waits.
  void set(std::uint32_t job, const std::optional<Assignment>& to);
  bool has_room(std::uint32_t job, const Assignment& to) const;

  double cost() const;

 private:
  void add(std::uint32_t job, const Assignment& at);
  void remove(std::uint32_t job);
  void change_seconds(std::uint32_t job, double seconds);
  void weigh(std::uint32_t key, double weight);
  double tardiness_at(double until) const;
  double node_rate(std::uint32_t node) const;

  const JointProblem& problem_;
  JointAim aim_;
  Filling filling_;
  Assignments plan_;
  std::vector<std::vector<std::uint32_t>> on_;  ///< jobs by node

  double rate_ = 0;      ///< money an hour of all nodes, and of jobs by themselves
  double constant_ = 0;  ///< restarts and penalties for waiting
  std::vector<double> penalties_;
  std::vector<double> first_;  ///< a tree of run times, the least on top
  std::size_t leaves_ = 1;
  std::vector<double> due_;  ///< deadlines from now, less restarts: sorted
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys_;  ///< of each job: staying, changed
  std::vector<double> weights_;       ///< Fenwick trees over `due_`: weights of those that run,
  std::vector<double> weighted_due_;  ///< and weights times due

  std::optional<Values> values_;  ///< by pace
};

}  // namespace penstock
