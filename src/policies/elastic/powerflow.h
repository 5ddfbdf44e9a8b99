#pragma once

#include <map>
#include <memory>
#include <optional>

#include "policies/elastic/board.h"
#include "policies/elastic/plan.h"
#include "policies/elastic/profiling.h"
#include "policy/budget.h"

namespace penstock {

struct PowerflowOptions {
  std::optional<BudgetSpec> budget{};
  Duration slot = std::chrono::minutes(5);  ///< at least so often it plans anew, if it has a budget
  PlanOptions plan{};
  bool by_shares = false;  ///< ranks steps by plan_by_shares() instead of as published
  std::optional<Duration> profile = std::chrono::seconds(60);  ///< see Profiling
};

/// Least mean completion time under an energy budget (Gu et al., PowerFlow, 2023): see
/// plan_greedily() for the plan and Budget for what it may use.
class Powerflow final : public Allocator {
 public:
  Powerflow(const PowerflowOptions& options, Time start);
  void allocate(Board& board) override;
  /// All pools draw on one budget.
  bool depends_on_others() const override { return options_.budget.has_value(); }

 private:
  const Curve& curve_of(const BoardJob& job, const Board& board, bool crowded);
  Duration slot(const Board& board) const;
  void renew_curves(const Board& board);
  void plan(Board& board);
  PlanLimits limits(const Board& board, std::span<const PlanJob> jobs, bool crowded);
  double price(const Board& board, std::span<const PlanJob> jobs, Joules energy, bool crowded);
  Joules machines_ahead(const Board& board, std::span<const PlanJob> jobs, bool crowded);
  void note_arrivals(const Board& board);

  PowerflowOptions options_;
  std::optional<Budget> budget_;  ///< once its floor is known
  bool anyone_ran_ = false;       ///< since the last plan
  Profiling profiling_;
  std::uint64_t version_ = ~0ull;                    ///< of the models the curves were made of
  std::map<std::pair<KindId, bool>, Curve> curves_;  ///< by kind, and whether jobs wait for GPUs
  std::map<JobId, Curve> rigid_;
  std::vector<bool> seen_;          ///< indexed by JobId
  std::map<KindId, Work> arrived_;  ///< of all jobs so far
  Time start_{};
  Time metered_{};
  Watts unfilled_{};  ///< drawn by nodes that were awake, for GPUs nobody used
  Joules wasted_{};   ///< so far, in that way
};

}  // namespace penstock
