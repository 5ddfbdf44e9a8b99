#pragma once

#include <map>
#include <memory>
#include <optional>

#include "policies/elastic/allocator.h"
#include "policies/elastic/energy_forecast.h"
#include "policies/elastic/plan.h"
#include "policies/elastic/pool_curves.h"
#include "policies/elastic/type_choice.h"
#include "policy/budget.h"

namespace penstock {

/// Short runs that profile a kind of training whose models are only guesses: on one GPU at the
/// highest clock, on one at three fifths of it, and on two. They are runs of the kind's first job,
/// do its work and are billed like any other; the third costs it a restart.
class Profiling {
 public:
  /// `each` is the length of a run; without it nothing is profiled. If batches are not adapted,
  /// runs for which the one asked for is too large are left out.
  Profiling(std::optional<Duration> each, bool adapts_batch)
      : each_(each), adapts_batch_(adapts_batch) {}

  /// Sets how profiling jobs run, takes their use from `left`, and requests a decision for the time
  /// at which a run is long enough. A run that does not fit is put off. Returns whether any job was
  /// set.
  bool settle(AllocationProblem& problem, PlanLimits& left);

 private:
  bool settle(AllocationJob& job, AllocationProblem& problem, PlanLimits& left);
  /// The run that a job shall make now; none if all were made, or it can make no more.
  std::optional<Way> next_run(const AllocationJob& job, const AllocationProblem& problem);
  bool is_made(const AllocationJob& job, const Way& run, Time now) const;

  std::optional<Duration> each_;
  bool adapts_batch_;
  std::map<KindId, std::uint32_t> made_;  ///< how many of the three, or past them
};

/// How a plan is made: plan_by_value(), plan_by_shares() or plan_greedily().
enum class Ranking { value, shares, published };

struct PowerflowOptions {
  std::optional<BudgetSpec> budget{};
  /// Where a budget for the whole run is too small for the jobs there are: whether they run on in
  /// their thriftiest ways and exceed it, or are stopped.
  bool finishes = true;
  Duration slot = std::chrono::minutes(5);  ///< at least so often it plans anew, if it has a budget
  PlanOptions plan{};
  WayFreedom freedom{};
  Ranking ranking = Ranking::value;
  std::optional<Duration> profile = std::chrono::seconds(60);  ///< see Profiling
  bool chooses_types = true;  ///< where a site has several, and plans are made by value
};

/// What the pools of a powerflow share.
struct PowerflowShared final : SharedByPools {
  std::optional<RunBudget> run_budget{};  ///< if the budget is for the whole run
  std::optional<TypeChooser> types{};     ///< if GPU types are chosen
  std::vector<bool> seen{};               ///< by any pool, where they are chosen; indexed by JobId
  PoolChooser* pool_chooser() override { return types ? &*types : nullptr; }
};

/// Least mean completion time under an energy budget (Gu et al., PowerFlow, 2023): see
/// plan_by_value() for the plan, RunBudget for the price of energy that keeps a budget of a run,
/// and Budget for what may be drawn under a budget by time.
class Powerflow final : public Allocator {
 public:
  Powerflow(const PowerflowOptions& options, Time start, PowerflowShared& shared);
  void look(const AllocationProblem& problem) override;
  void allocate(AllocationProblem& problem) override;
  /// All pools draw on one budget.
  bool depends_on_others() const override { return options_.budget.has_value(); }

 private:
  void note_arrivals(const AllocationProblem& problem);
  PoolOutlook outlook(const AllocationProblem& problem);
  Joules expected_since_last_plan(const AllocationProblem& problem);
  void note_planned(const AllocationProblem& problem, double price);
  void plan(AllocationProblem& problem);
  Plan make_plan(std::span<const PlanJob> jobs, const PlanLimits& limits,
                 const PlanOptions& options);
  PlanLimits limits_until_next_plan(const AllocationProblem& problem);
  void limit_run(const AllocationProblem& problem, std::span<const PlanJob> jobs,
                 PlanLimits& limits, PlanOptions& options);
  Duration slot(const AllocationProblem& problem) const;
  Watts cap(const AllocationProblem& problem) const;

  PowerflowOptions options_;
  PowerflowShared& shared_;
  RunBudget* run_budget_;         ///< null if there is none for the whole run
  std::size_t pool_ = 0;          ///< by which it reports to the budget of the run
  std::size_t type_pool_ = 0;     ///< by which it notes prices for the choice of types
  std::optional<Budget> budget_;  ///< once its floor is known
  bool anyone_ran_ = false;       ///< since the last plan
  Profiling profiling_;
  PoolCurves curves_;
  std::vector<PlanJob> jobs_;                ///< of the problem looked at
  std::vector<bool> seen_;                   ///< indexed by JobId
  std::map<PoolCurves::Key, Work> arrived_;  ///< of all jobs so far
  Joules rigid_arrived_{};                   ///< by those without a curve
  std::size_t arrivals_ = 0;
  double asked_ = 0;        ///< GPU-seconds, by all jobs so far
  double power_price_ = 0;  ///< at which the last plan kept a limit of power
  Time start_{};
  /// A job as it was at the last plan.
  struct PlannedJob {
    JobId id{};
    bool pinned = false;
    Work left{};
    double joules_per_work = 0;  ///< in the way expected for it
  };
  std::vector<PlannedJob> planned_;  ///< by their number
  Watts pinned_draw_{};              ///< at the last plan
  Time planned_at_{};
};

}  // namespace penstock
