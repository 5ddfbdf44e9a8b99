#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "joint/problem.h"

namespace penstock {

/// Money an hour for the slices of a job, as its share of a node that other jobs fill.
class Rates {
 public:
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  /// Of each type the node that is cheapest when full. `problem` must outlive it.
  explicit Rates(const JointProblem& problem);
  /// Money an hour for each slice of a node, by type, however full it is.
  explicit Rates(std::vector<double> full) : full_(std::move(full)), nodes_(full_.size()) {}

  /// Other jobs need `beside` slices: where they do not fill a node, the job shares it with these
  /// until jobs are changed again, and from then on with as many as it holds. Endless if no node of
  /// the type has GPUs to plan with.
  double of(const JointOption& option, double beside = kEndless) const;

 private:
  double interval_ = 0;
  std::uint32_t slices_of_a_gpu_ = 1;
  std::vector<double> full_;             ///< money an hour for each slice, by type
  std::vector<const JointNode*> nodes_;  ///< by type; null if rates do not depend on the rest
};

/// The part of a job in the objective JointAim::pace: a rate of money, the lower the better. With D
/// the time to the deadline, t the run time of a job's fastest option, m the mean of t over all
/// jobs and I JointProblem::interval:
///
///   urgency = weight · exp(−max(0, D − t)/m) · m
///   worth   = JointJob::worth, or else marginal_cost() at later prices
///   lost    = min(1, restart/min(I, seconds + restart)), 0 for a job that goes on as it is
///   pace    = (1 − lost) / seconds
///   needed  = min(1, seconds/s)^(1 − c), s being those of its slowest way in 0.9 · D, or else t
///   running → − (worth + u · urgency · needed) · pace · (least GPU time on this type / GPU time)^c
///
/// The worth makes every job do its work where and when that is cheapest for its own deadline. The
/// rest is the rule of weighted shortest job first over unlike machines (c·mu), with the look-ahead
/// of apparent tardiness cost: jobs that would be late if they waited go first. It pays for no more
/// speed than a job needs to be in time.
///
/// The crowd c is 0 while all jobs together, each in the way that takes least GPU time, would not
/// fill the GPUs for as long as such a run takes on average; from there to half as much again it
/// rises to 1, and u from 0.12 to 0.5. Then every GPU can be used without waste, so that ways that
/// use several badly count less, and who is late matters more than what machines cost.
///
/// Where GPUs are not scarce (to meet their deadlines, where they can, jobs need at most 0.7 of
/// them) there is no need to choose among jobs: c = 0, needed = 1, u = 0.01 and u · urgency is at
/// most a tenth of the marginal cost, so that no weight makes a job hurry that has time. Lateness
/// itself counts:
///
///   running → + weight · max(0, T − max(t, D))/T     with T its run time, restart included
///   waiting → + weight · min(1, max(0, I − (D − t))/I)
///
/// A running job that is stopped will restart: in any case it counts with lost/seconds of its worth
/// and urgency, as in the way in which it runs.
class Values {
 public:
  /// `problem` must outlive it.
  explicit Values(const JointProblem& problem);

  double running(std::uint32_t job, const Assignment& at) const {
    if (problem_.jobs[job].running == at) return going_on_[job];
    return changed_[first_option_[job] + at.option];
  }
  double waiting(std::uint32_t job) const { return waiting_[job]; }
  /// Jobs, most urgent first.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  void find_needs();
  void find_crowd();
  void find_worths(const std::vector<double>& slack, double mean);
  void find_waiting(const std::vector<double>& slack);
  void find_running();
  double value(std::uint32_t job, std::uint32_t option, double lost) const;
  double lost_part(double seconds, double lost) const;
  double needed_part(std::uint32_t job, double seconds, double lost) const;
  double useful_part(std::uint32_t job, const JointOption& option) const;

  const JointProblem& problem_;
  std::vector<double> needed_;  ///< by job: slices with which it meets its deadline
  double all_needed_ = 0;
  bool scarce_ = false;
  double crowd_ = 0;
  std::vector<double> fastest_;            ///< by job
  std::vector<double> worth_;              ///< by job, without urgency where GPUs are scarce
  std::vector<double> urgency_;            ///< by job: u · urgency where they are
  std::vector<double> waiting_;            ///< by job
  std::vector<double> going_on_;           ///< by job: running as at present
  std::vector<std::size_t> first_option_;  ///< by job, in `changed_`
  std::vector<double> changed_;            ///< by job and option: running otherwise
  std::vector<std::uint32_t> order_;
};

/// The objective of a plan.
enum class JointAim : std::uint8_t {
  /// As published: cost and tardiness until the first job of the plan ends, and a hundredfold
  /// penalty for jobs that wait although they could be late.
  first_finish,
  /// Money an hour, less the worth of the work that jobs do in it (see Values): what is best until
  /// the next decision, if there surely is one.
  pace,
};

struct JointCost {
  double energy = 0;     ///< of nodes in use: power, or rent
  double tardiness = 0;  ///< of the jobs that run; by pace, the worth of what they do too
  double waiting = 0;    ///< penalty of those that wait
  double total() const { return energy + tardiness + waiting; }
};

/// Seconds that a job loses by changing to this assignment: its restart, or 0 if it stays as it is
/// or had not begun.
double lost_seconds(const JointJob& job, const std::optional<Assignment>& to);
/// The run time of a job in this assignment, lost_seconds() included.
double run_seconds(const JointJob& job, const Assignment& to);
/// The cost of its GPUs alone while it restarts.
double restart_cost(const JointProblem& problem, const JointJob& job, const Assignment& to);
/// The penalty by JointAim::first_finish for a job that waits.
double waiting_penalty(const JointProblem& problem, const JointJob& job);

/// Seconds until the first job of the plan ends; 0 if none runs.
double first_finish(const JointProblem& problem, const Assignments& plan);

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
class PlanEvaluator {
 public:
  /// `problem` must outlive it.
  PlanEvaluator(const JointProblem& problem, JointAim aim);
  double cost(const Assignments& plan) const;
  /// Of the jobs, by pace; null by the published objective. They live as long as the evaluator.
  const Values* values() const { return values_ ? &*values_ : nullptr; }

 private:
  const JointProblem& problem_;
  std::optional<Values> values_;  ///< by pace
};

/// Money for finishing a job in one of its ways.
double finishing_cost(const JointOption& option, const Rates& rates,
                      double beside = Rates::kEndless);

/// The marginal cost of a job's work, times all its work, if the job were alone: the dual variable
/// of dividing the work among its ways so that machines plus tardiness cost least. With time to
/// spare it is the cost of the cheapest way; without, that of the fastest and all its lateness.
/// `left` is the time to the deadline in seconds. 0 if the job cannot run.
double marginal_cost(const JointJob& job, const Rates& rates, double left,
                     double beside = Rates::kEndless);

/// Whether GPUs do not suffice for all deadlines: see Values.
bool gpus_are_scarce(const JointProblem& problem);

/// The slices with which each job meets its deadline, the fewest that do; where none do, those of
/// its way that takes least GPU time.
std::vector<double> slices_needed(const JointProblem& problem);

}  // namespace penstock
