#pragma once

#include <map>
#include <memory>
#include <optional>

#include "policies/elastic/allocator.h"
#include "policies/elastic/plan.h"
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

struct PowerflowOptions {
  std::optional<BudgetSpec> budget{};
  /// Where a budget for the whole run is too small for the jobs there are: whether they run on in
  /// their thriftiest ways and exceed it, or are stopped.
  bool finishes = true;
  Duration slot = std::chrono::minutes(5);  ///< at least so often it plans anew, if it has a budget
  PlanOptions plan{};
  bool adapts_batch = true;  ///< where the models allow it; if not, jobs keep what they asked for
  bool by_shares = false;    ///< ranks steps by plan_by_shares() instead of as published
  std::optional<Duration> profile = std::chrono::seconds(60);  ///< see Profiling
};

/// The work that jobs will do along one curve, and the job of them that has most to do.
struct CurveDemand {
  const Curve* curve = nullptr;  ///< not empty
  Work work{};
  Work longest{};
};

/// What a run will need until its end, if all work is done in the ways that are cheapest at one
/// price of energy.
struct RunNeed {
  double price = 0;   ///< seconds for a joule
  Joules jobs{};      ///< of all work
  Joules machines{};  ///< besides, for as long as the run then lasts
  Joules total() const { return jobs + machines; }
};

/// The machines of a run, and how long it lasts at least.
struct RunOutlook {
  std::uint32_t gpus = 1;
  Watts floor{};              ///< drawn by the machines whatever runs
  bool busy_in_ways = false;  ///< whether ways count the part of it of the GPUs they use
  Duration ahead{};
};

/// The need at a price of energy.
RunNeed need_at(double price, std::span<const CurveDemand> demands, const RunOutlook& outlook);
/// The need at the least price at which it is within `energy`, or if there is none, at the price at
/// which it is least.
RunNeed cheapest_need(std::span<const CurveDemand> demands, const RunOutlook& outlook,
                      Joules energy);

/// Least mean completion time under an energy budget (Gu et al., PowerFlow, 2023): see
/// plan_greedily() for the plan and Budget for what it may use.
class Powerflow final : public Allocator {
 public:
  Powerflow(const PowerflowOptions& options, Time start);
  void allocate(AllocationProblem& problem) override;
  /// All pools draw on one budget.
  bool depends_on_others() const override { return options_.budget.has_value(); }

 private:
  /// Jobs with the same key run along the same curve.
  struct CurveKey {
    KindId kind{};
    Curve::Asked asked{};
    bool crowded = false;  ///< whether jobs wait for GPUs
    auto operator<=>(const CurveKey&) const = default;
  };
  CurveKey key_of(const AllocationJob& job, bool crowded) const;
  const Curve* curve_with(const CurveKey& key, const AllocationProblem& problem);
  const Curve& curve_of(const AllocationJob& job, const AllocationProblem& problem, bool crowded);
  Duration slot(const AllocationProblem& problem) const;
  void renew_curves(const AllocationProblem& problem);
  void plan(AllocationProblem& problem);
  PlanLimits limits_until_next_plan(const AllocationProblem& problem);
  void limit_run(const AllocationProblem& problem, std::span<const PlanJob> jobs, bool crowded,
                 PlanLimits& limits, PlanOptions& options);
  void meter(const AllocationProblem& problem);
  std::vector<CurveDemand> demands(const AllocationProblem& problem, std::span<const PlanJob> jobs,
                                   bool crowded);
  double jobs_to_come(Time now) const;
  double believed_price(double price, const AllocationProblem& problem) const;
  Joules wasted_ahead(const AllocationProblem& problem, std::span<const PlanJob> jobs);
  void note_arrivals(const AllocationProblem& problem);

  PowerflowOptions options_;
  std::optional<Budget> budget_;  ///< once its floor is known
  bool anyone_ran_ = false;       ///< since the last plan
  Profiling profiling_;
  std::uint64_t version_ = ~0ull;  ///< of the models the curves were made of
  std::map<CurveKey, Curve> curves_;
  std::map<JobId, Curve> rigid_;
  std::vector<bool> seen_;            ///< indexed by JobId
  std::map<CurveKey, Work> arrived_;  ///< of all jobs so far, by their keys while none waits
  Time start_{};
  Time metered_{};
  Watts unfilled_{};  ///< drawn by nodes that were awake, for GPUs nobody used
  Joules wasted_{};   ///< so far, in that way
};

}  // namespace penstock
