#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <vector>

#include "joint/builder.h"
#include "joint/joint_plan.h"
#include "joint/optimise.h"

namespace penstock {

/// A plan and what it costs; of equals the one found first is better.
struct ScoredPlan {
  double cost = 0;
  std::uint64_t number = 0;
  Assignments plan{};
  bool better_than(const ScoredPlan& other) const {
    return std::pair(cost, number) < std::pair(other.cost, other.number);
  }
};

/// The best different plans found so far, best first.
class ElitePool {
 public:
  explicit ElitePool(std::size_t size) : size_(size) {}
  void offer(ScoredPlan found);
  bool would_take(double cost) const { return plans_.size() < size_ || cost < plans_.back().cost; }
  const std::vector<ScoredPlan>& plans() const { return plans_; }

 private:
  std::size_t size_;
  std::vector<ScoredPlan> plans_;
};

/// The time limit of a search.
class TimeBudget {
 public:
  explicit TimeBudget(std::optional<Duration> limit);
  /// Whether the time is over; once true, always true.
  bool is_over();

 private:
  std::optional<std::chrono::steady_clock::time_point> until_;
  std::atomic<bool> over_{false};
};

/// All that the methods share for one problem.
struct Search {
  const JointProblem& problem;
  const JointSettings& settings;
  TimeBudget& time_budget;
  PlanEvaluator evaluator;
  std::vector<OptionRanking> rankings;
  std::vector<OptionRanking> thrifty_rankings;  ///< for JointAim::pace
  std::vector<std::uint32_t> order;             ///< of jobs, most pressing first
  std::uint64_t evaluated = 0;
};

/// Fills what random plans and search begin with.
Search begin_search(const JointProblem& problem, const JointSettings& settings,
                    TimeBudget& time_budget);

/// The greedy plan, the best of some, and many with randomisation.
ElitePool greedy_plans(Search& search);
ElitePool random_plans(Search& search, std::size_t pool_size);
/// Improves each plan of the pool, move by move.
ElitePool local_search(Search& search, const ElitePool& pool);
/// Path relinking from the best plan towards each other one.
ElitePool relink(Search& search, const ElitePool& pool);
/// Improves the plans of a small problem further, by any change and by randomisation; does nothing
/// for larger problems.
ElitePool polish(Search& search, const ElitePool& pool);

/// Starts every waiting job for which there is room, in order.
void complete(JointPlan& plan, const Search& search);
/// Starts a waiting job on one of these nodes, if one has room.
bool start_on_any(JointPlan& plan, std::uint32_t job, const Search& search,
                  std::span<const std::uint32_t> nodes);
/// Starts a waiting job in the first of its ways for which any node has room.
void start_anywhere(JointPlan& plan, std::uint32_t job, const Search& search);

}  // namespace penstock
