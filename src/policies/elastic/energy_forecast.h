#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "policies/elastic/curve.h"
#include "policy/budget.h"

namespace penstock {

/// The work of jobs along one curve, and the most that one of them has to do.
struct CurveDemand {
  const Curve* curve = nullptr;  ///< not empty
  Work work{};
  Work longest{};
};

/// What one pool needs and has.
struct PoolOutlook {
  std::vector<CurveDemand> here{};     ///< by the jobs there are
  std::vector<CurveDemand> arrived{};  ///< by all jobs so far
  Joules rigid_arrived{};              ///< that those without a curve needed, as they asked
  std::size_t arrivals = 0;            ///< the number of all so far
  double asked = 0;                    ///< GPU-seconds that they asked for
  std::uint32_t gpus = 1;
  Watts floor{};      ///< drawn by the machines whatever runs
  Joules pinned{};    ///< what pinned jobs that run will need still
  Joules expected{};  ///< that the work done since the last report would need, at the price then
  double pue = 1;     ///< by which all of this counts
};

/// What is not known of the rest of a run, but believed.
struct RunAhead {
  Duration least{};    ///< it lasts at least so long
  double to_come = 0;  ///< how much work is to come, as a part of what has come
  double excess = 1;   ///< how much more energy work takes than in the ways expected for it
};

/// What a run will need until its end, if all work is done in the ways that are cheapest at one
/// price of energy. PUE is included.
struct RunNeed {
  double price = 0;   ///< seconds for a joule
  Joules jobs{};      ///< of all work
  Joules machines{};  ///< besides, for as long as the run then lasts
  Duration lasts{};
  Joules total() const { return jobs + machines; }
};

/// Prices of energy below it change nothing.
constexpr double kLowestPrice = 1 / kJoulesPerKwh;
/// Beyond some hours for a kilowatt-hour jobs get much slower and need hardly less; chosen on
/// traces that no result is reported of (data/studies/powerflow/cases.toml).
constexpr double kHighestPrice = 2e4 / kJoulesPerKwh;
/// The price at which a budget of a run is thought to suffice before anything else is known; chosen
/// on the same traces.
constexpr double kUsualPrice = 300 / kJoulesPerKwh;

/// The need at a price of energy.
RunNeed need_at(double price, std::span<const PoolOutlook> pools, const RunAhead& ahead);
/// The need at the least price at which it is within `energy`, or if there is none, at the price at
/// which it is least.
RunNeed cheapest_need(std::span<const PoolOutlook> pools, const RunAhead& ahead, Joules energy);

/// How far a price is believed that was found from the jobs that have arrived: between the usual
/// price and this one, by their number.
double believed_price(double price, std::size_t arrived);

/// What is known of the arrivals of a run.
struct ArrivalOutlook {
  Duration past{};
  Duration horizon{};   ///< from the first arrival possible to the last
  Joules seen{};        ///< what the jobs that arrived need at the usual price
  Joules budget{};      ///< for all jobs of the run
  double asked = 0;     ///< GPU-seconds that users asked for so far
  double expected = 0;  ///< the same in the whole horizon as planned for; 0 if nobody did
};

/// How much work is to come, as a part of what has come. As planned for, until the horizon. Without
/// such a plan the mean of two guesses: all that the budget suffices for at the usual price; and as
/// much by time as came so far and, as if the horizon had passed once before, as the budget
/// suffices for. 0 if nothing has come.
double work_to_come(const ArrivalOutlook& outlook);

/// The price of energy at which a budget for a whole run lasts, for the jobs of all pools.
class RunBudget {
 public:
  /// `gpu_hours`: as planned for the horizon; 0 if nobody did.
  RunBudget(const BudgetSpec& spec, Time start, double gpu_hours)
      : spec_(spec), start_(start), now_(start), gpu_hours_(gpu_hours), budget_(spec, start) {}

  /// The number by which a pool reports.
  std::size_t add_pool();
  /// What a pool needs now; curves must stay where they are until it reports again.
  void report(std::size_t pool, PoolOutlook outlook);
  void meter(Time now, Joules used);

  bool has_horizon() const { return spec_.horizon.has_value(); }
  /// At the least price that keeps the budget, after what all pools have reported.
  const RunNeed& need();
  /// How much more than expected the work so far has needed, with what machines drew beyond their
  /// floor, waiting for jobs or for sleep. Close to 1 until enough is known.
  double excess() const;
  /// The price to plan with: that of the need, as far as it is believed.
  double price(const RunNeed& need) const;

 private:
  double to_come() const;
  Joules measured_over() const;

  BudgetSpec spec_;
  Time start_;
  Time now_;
  double gpu_hours_;
  Budget budget_;
  Joules metered_{};
  Joules beyond_floor_{};  ///< used by jobs and machines that waited, the latest most
  Joules expected_{};      ///< for the work done, in the same way
  std::vector<PoolOutlook> pools_;
  std::optional<RunNeed> need_;  ///< after the last report
};

}  // namespace penstock
