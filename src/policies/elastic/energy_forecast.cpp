#include "policies/elastic/energy_forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace penstock {
namespace {

/// The part of what is left of a budget after whose use more is believed of what was measured than
/// of models.
constexpr double kLittle = 0.02;
/// The part of what is left of a budget after whose use measurements count only by a third.
constexpr double kRemembered = 0.2;
/// The part of a budget that is never taken for less than what is left.
constexpr double kLeastLeft = 0.005;
constexpr double kMostExcess = 3;
/// The part of a budget that is kept for what no forecast sees.
constexpr double kReserve = 0.01;

}  // namespace

RunNeed need_at(double price, std::span<const PoolOutlook> pools, const RunAhead& ahead) {
  RunNeed need{.price = price, .lasts = ahead.least};
  for (const PoolOutlook& pool : pools) {
    double gpu_seconds = 0;
    const auto add = [&](const CurveDemand& demand, double times) {
      const double work = demand.work.value() * times;
      const Way& way = demand.curve->cheapest(price * pool.pue);
      need.jobs += Joules(joules_per_work(way) * work) * (ahead.excess * pool.pue);
      gpu_seconds += demand.curve->least_gpu_seconds() * work;
      need.lasts = std::max(need.lasts, demand.longest / way.speed);
    };
    for (const CurveDemand& demand : pool.arrived) add(demand, ahead.to_come);
    for (const CurveDemand& demand : pool.here) add(demand, 1);
    need.jobs += (pool.pinned + pool.rigid_arrived * ahead.to_come) * pool.pue;
    need.lasts = std::max(need.lasts, ceil_duration(gpu_seconds / std::max(pool.gpus, 1u)));
  }
  for (const PoolOutlook& pool : pools) need.machines += pool.floor * need.lasts * pool.pue;
  return need;
}

RunNeed cheapest_need(std::span<const PoolOutlook> pools, const RunAhead& ahead, Joules energy) {
  RunNeed best = need_at(0, pools, ahead);
  if (best.total() <= energy) return best;
  constexpr int kSteps = 27;
  const double step = std::pow(kHighestPrice / kLowestPrice, 1.0 / kSteps);
  double below = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double price = kLowestPrice * std::pow(step, i);
    const RunNeed need = need_at(price, pools, ahead);
    if (need.total() < best.total()) best = need;
    if (best.total() <= energy) break;
    below = price;
  }
  if (best.total() > energy || below == 0) return best;
  for (int i = 0; i < 6; ++i) {
    const RunNeed need = need_at(std::sqrt(below * best.price), pools, ahead);
    if (need.total() <= energy)
      best = need;
    else
      below = need.price;
  }
  return best;
}

double believed_price(double price, std::size_t arrived) {
  constexpr double kDoubt = 30;  // jobs; chosen on the traces for tuning
  constexpr double kSmall = 30 * kLowestPrice;
  const double belief = static_cast<double>(arrived) / (static_cast<double>(arrived) + kDoubt);
  return kUsualPrice * std::pow(std::max(price, kSmall) / kUsualPrice, belief);
}

double work_to_come(const ArrivalOutlook& outlook) {
  if (outlook.seen <= Joules{} && outlook.asked <= 0) return 0;
  const double horizon = seconds(outlook.horizon);
  const double past = seconds(outlook.past);
  const double ahead = std::max(0.0, horizon - past);
  if (outlook.expected > 0) {
    // Believed to the end: what comes late comes after most of the budget is used.
    if (outlook.asked <= 0 || ahead <= 0) return 0;
    return std::max(0.0, outlook.expected / outlook.asked - 1);
  }
  if (outlook.seen <= Joules{}) return 0;
  const double enough_for = std::max(0.0, outlook.budget / outlook.seen);
  const double by_rate = ahead / (past + horizon) * (1 + enough_for);
  return (by_rate + std::max(0.0, enough_for - 1)) / 2;
}

std::size_t RunBudget::add_pool() {
  pools_.emplace_back();
  return pools_.size() - 1;
}

void RunBudget::report(std::size_t pool, PoolOutlook outlook) {
  need_.reset();
  expected_ += outlook.expected * outlook.pue;
  pools_[pool] = std::move(outlook);
}

/// What was measured long ago counts less and less.
void RunBudget::meter(Time now, Joules used) {
  if (now == now_) return;
  Joules floor{};
  for (const PoolOutlook& pool : pools_) floor += pool.floor * (now - now_) * pool.pue;
  const Joules more = used - metered_;
  const double kept = std::exp(-(more / (measured_over() * kRemembered)));
  beyond_floor_ = beyond_floor_ * kept + (more - floor);
  expected_ = expected_ * kept;
  now_ = now;
  metered_ = used;
  budget_.meter(now, used);
}

const RunNeed& RunBudget::need() {
  if (!need_)
    need_ =
        cheapest_need(pools_, {.least = budget_.ahead(), .to_come = to_come(), .excess = excess()},
                      budget_.left() - spec_.amount * kReserve);
  return *need_;
}

/// Near the end of a run little is left, and machines wait for other jobs than before.
Joules RunBudget::measured_over() const {
  return std::max(budget_.left(), spec_.amount * kLeastLeft);
}

double RunBudget::excess() const {
  const Joules little = measured_over() * kLittle;
  const double excess = (beyond_floor_ + little) / (expected_ + little);
  return std::clamp(excess, 1 / kMostExcess, kMostExcess);
}

double RunBudget::price(const RunNeed& need) const {
  if (!spec_.horizon) return need.price;
  std::size_t arrivals = 0;
  for (const PoolOutlook& pool : pools_) arrivals += pool.arrivals;
  return believed_price(need.price, arrivals);
}

double RunBudget::to_come() const {
  if (!spec_.horizon) return 0;
  ArrivalOutlook outlook{.past = now_ - start_,
                         .horizon = *spec_.horizon,
                         .budget = spec_.amount,
                         .expected = gpu_hours_ * 3600};
  for (const PoolOutlook& pool : pools_) {
    outlook.asked += pool.asked;
    outlook.budget -= pool.floor * *spec_.horizon * pool.pue;
    for (const CurveDemand& demand : pool.arrived)
      outlook.seen += Joules(joules_per_work(demand.curve->cheapest(kUsualPrice * pool.pue)) *
                             demand.work.value()) *
                      (excess() * pool.pue);
    outlook.seen += pool.rigid_arrived * pool.pue;
  }
  return work_to_come(outlook);
}

}  // namespace penstock
