#include "policies/geo/mpc_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kHurry = 0.05;  ///< a late job's own energy, for each hour that it waits on
constexpr double kExact = 1e-7;  ///< hours that are less than the millisecond of the clock

class Chooser {
 public:
  explicit Chooser(const MpcPrices& prices) : prices_(prices) {}

  /// Looks at all starts at one site.
  void look(const MpcDemand& demand) {
    const double step = prices_.room.step_hours();
    const double there = prices_.now + demand.delay;
    if (there <= demand.latest + kExact) consider(demand, there);
    const double first = std::floor(there / step) + 1;
    for (double i = first; i < prices_.horizon && i * step <= demand.latest + kExact; ++i)
      consider(demand, i * step);
  }

  MpcChoice chosen() const {
    MpcChoice choice = best_;
    choice.eager = !choice.now && wished_ < cost_;
    return choice;
  }

 private:
  void consider(const MpcDemand& demand, double start) {
    const double departs = start - demand.delay;
    const double cost = cost_of(demand, start) + waiting(demand, start);
    const bool now = departs <= prices_.now + kExact;
    if (cost >= cost_) return;
    if (!has_room(demand, start)) {
      if (now) wished_ = std::min(wished_, cost);
      return;
    }
    cost_ = cost;
    best_ = {.demand = demand, .start = start, .departs = departs, .now = now, .cost = cost};
  }

  /// The more of its slack a job uses up where GPUs are sought after, the likelier it is late.
  double waiting(const MpcDemand& demand, double start) const {
    const double there = prices_.now + demand.delay;
    const MpcWeights& weights = prices_.tariff.weights();
    const double slack = std::max(kExact, demand.latest - there);
    const double used = std::min(1.0, (start - there) / slack);
    const double risk = used * used * prices_.crowd * prices_.crowd;
    return weights.late * prices_.tariff.usual_job() * risk +
           weights.wait * (start - prices_.now) * demand.kilowatts * demand.run;
  }

  double cost_of(const MpcDemand& demand, double start) const {
    double cost = prices_.tariff.energy(demand, start) + demand.transfer;
    if (demand.site.index < prices_.worth.size())
      cost += demand.gpus * prices_.worth[demand.site.index].between(start, start + demand.run);
    return cost;
  }

  bool has_room(const MpcDemand& demand, double start) const {
    const bool at_once = start <= prices_.now + kExact;
    if (at_once && prices_.free_now[demand.site.index] < demand.gpus) return false;
    return prices_.room.fits(demand, start, at_once);
  }

  const MpcPrices& prices_;
  MpcChoice best_;
  double cost_ = kEndless;
  double wished_ = kEndless;  ///< the least cost of a departure now for which there are no GPUs
};

/// When GPUs would be there for the job, as far as is known; the end of that at the latest.
double first_room(const MpcDemand& demand, const MpcPrices& prices) {
  const double step = prices.room.step_hours();
  const double there = prices.now + demand.delay;
  if (there <= prices.now && prices.free_now[demand.site.index] >= demand.gpus) return there;
  const auto steps = static_cast<double>(prices.room.steps());
  for (double i = std::floor(there / step) + 1; i < steps; ++i)
    if (prices.room.fits(demand, i * step, false)) return i * step;
  return std::max(there, steps * step);
}

MpcChoice send_late(std::span<const MpcDemand> demands, const MpcPrices& prices) {
  MpcChoice best;
  double least = kEndless;
  for (const MpcDemand& demand : demands) {
    const double start = first_room(demand, prices);
    const double late = start <= demand.latest + kExact
                            ? 0
                            : prices.tariff.weights().late * prices.tariff.usual_job();
    const double cost = prices.tariff.energy(demand, start) + demand.transfer + late +
                        kHurry * (start - prices.now) * demand.kilowatts * demand.run;
    if (cost >= least) continue;
    least = cost;
    best = {.demand = demand, .start = start, .departs = prices.now, .now = true, .cost = cost};
  }
  return best;
}

}  // namespace

MpcChoice choose(std::span<const MpcDemand> demands, const MpcPrices& prices) {
  Chooser chooser(prices);
  double last_departure = -kEndless;
  for (const MpcDemand& demand : demands) {
    chooser.look(demand);
    last_departure = std::max(last_departure, demand.latest - demand.delay);
  }
  const MpcChoice choice = chooser.chosen();
  if (choice.demand) return choice;
  if (demands.empty() || last_departure > prices.now + kExact) {
    const double again = demands.empty() ? prices.now + 1 : last_departure;
    return {.departs = again, .eager = true};
  }
  return send_late(demands, prices);
}

}  // namespace penstock
