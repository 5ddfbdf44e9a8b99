#include "policies/geo/mpc_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "policy/reasons.h"
#include "solve/linear_program.h"

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kHurry = 0.05;  ///< a late job's own energy, for each hour that it waits on
constexpr double kExact = 1e-7;  ///< hours that are less than the millisecond of the clock

class StartChooser {
 public:
  explicit StartChooser(const MpcPrices& prices) : prices_(prices) {}

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
    choice.eager = !choice.now && least_cost_now_ < cost_;
    return choice;
  }

 private:
  void consider(const MpcDemand& demand, double start) {
    const double departs = start - demand.delay;
    const double cost = cost_of(demand, start) + waiting(demand, start);
    const bool now = departs <= prices_.now + kExact;
    if (cost >= cost_) return;
    if (!has_room(demand, start)) {
      if (now) least_cost_now_ = std::min(least_cost_now_, cost);
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
    const double risk = used * used * prices_.demanded * prices_.demanded;
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
  double least_cost_now_ =
      kEndless;  ///< the least cost of a departure now for which there are no GPUs
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
  StartChooser chooser(prices);
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

namespace {

/// Starts that are tried, in steps after the first possible one: coarser the later.
constexpr std::array<int, 12> kStarts{0, 1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 24};
constexpr std::size_t kFewest = 8;  ///< columns of a group, however many groups there are

/// A group at a site from an hour on.
struct PlannedStart {
  const MpcDemand* demand = nullptr;
  double hour = 0;
  double cost = 0;
};

std::vector<PlannedStart> starts_of(const MpcGroup& group, const MpcTariff& tariff, double step,
                                    double horizon) {
  std::vector<PlannedStart> all;
  for (const MpcDemand& demand : group.demands) {
    const double there = group.first + demand.delay;
    for (const int later : kStarts) {
      const double hour = later == 0 ? there : (std::floor(there / step) + later) * step;
      if (later > 0 && (hour > demand.latest || hour >= horizon)) break;
      const double waits =
          tariff.weights().wait * (hour - group.first) * demand.kilowatts * demand.run;
      all.push_back({&demand, hour, tariff.energy(demand, hour) + demand.transfer + waits});
    }
  }
  return all;
}

class ScarcityProgram {
 public:
  ScarcityProgram(const MpcTariff& tariff, const MpcRoom& room, std::size_t sites)
      : tariff_(tariff),
        room_(room),
        taken_(sites, std::vector<std::vector<LinearProgram::Term>>(room.steps())) {}

  void add(const MpcGroup& group, std::size_t most) {
    const double horizon = room_.step_hours() * static_cast<double>(room_.steps());
    std::vector<PlannedStart> starts = starts_of(group, tariff_, room_.step_hours(), horizon);
    if (starts.empty()) return;
    std::ranges::sort(starts, {}, [](const PlannedStart& start) {
      return std::tuple(start.cost, start.demand->site, start.hour);
    });
    const double dearest = starts.back().cost;
    if (starts.size() > most) starts.resize(most);
    std::vector<LinearProgram::Term> shares;
    shares.reserve(starts.size() + 1);
    for (const PlannedStart& start : starts) shares.push_back({add(start), 1});
    const double late = tariff_.weights().late * tariff_.usual_job() * group.jobs;
    shares.push_back({program_.add({.cost = std::max(dearest, 0.0) + late, .upper = 1}), 1});
    program_.add_row(shares, 1, 1);
    ++groups_;
  }

  std::vector<MpcRate> solve() {
    std::vector<std::pair<std::size_t, std::size_t>> rows;
    for (std::size_t s = 0; s < taken_.size(); ++s)
      for (std::size_t i = 0; i < taken_[s].size(); ++i) {
        if (taken_[s][i].empty()) continue;
        program_.add_row(taken_[s][i], -kNoLimit, std::max(0.0, room_.free(s, i)));
        rows.emplace_back(s, i);
      }
    std::vector<std::vector<double>> worth(taken_.size(), std::vector<double>(room_.steps(), 0.0));
    if (const auto answer = rows.empty() ? std::nullopt : solve_relaxed(program_))
      for (std::size_t r = 0; r < rows.size(); ++r)
        worth[rows[r].first][rows[r].second] =
            std::max(0.0, -answer->duals[groups_ + r]) / room_.step_hours();
    std::vector<MpcRate> rates;
    rates.reserve(worth.size());
    for (auto& of_site : worth) rates.emplace_back(room_.step_hours(), std::move(of_site), 0.0);
    return rates;
  }

 private:
  int add(const PlannedStart& start) {
    const int column = program_.add({.cost = start.cost, .upper = 1});
    const double step = room_.step_hours();
    const double end = start.hour + start.demand->run;
    auto& of_site = taken_[start.demand->site.index];
    for (auto i = static_cast<std::size_t>(start.hour / step);
         i < of_site.size() && step * static_cast<double>(i) < end; ++i) {
      const double from = std::max(start.hour, step * static_cast<double>(i));
      const double part = (std::min(end, step * static_cast<double>(i + 1)) - from) / step;
      if (part > 0) of_site[i].push_back({column, start.demand->gpus * part});
    }
    return column;
  }

  const MpcTariff& tariff_;
  const MpcRoom& room_;
  LinearProgram program_;
  std::size_t groups_ = 0;
  std::vector<std::vector<std::vector<LinearProgram::Term>>> taken_;  ///< by site and step
};

}  // namespace

void add_to(MpcGroup& group, std::span<const MpcDemand> demands) {
  ++group.jobs;
  if (group.demands.empty()) {
    group.demands.assign(demands.begin(), demands.end());
    return;
  }
  for (std::size_t i = 0; i < demands.size(); ++i) {
    MpcDemand& sum = group.demands[i];
    const MpcDemand& one = demands[i];
    const double part = one.gpus / (sum.gpus + one.gpus);
    sum.delay += part * (one.delay - sum.delay);
    sum.run += part * (one.run - sum.run);
    sum.latest += part * (one.latest - sum.latest);
    sum.kilowatts += one.kilowatts;
    sum.transfer += one.transfer;
    sum.gpus += one.gpus;
  }
}

std::vector<MpcRate> scarcity(std::span<const MpcGroup> groups, const MpcTariff& tariff,
                              const MpcRoom& room, std::size_t most_columns) {
  ScarcityProgram program(tariff, room, room.sites());
  const std::size_t most =
      std::max(kFewest, most_columns / std::max<std::size_t>(1, groups.size()));
  for (const MpcGroup& group : groups) program.add(group, most);
  return program.solve();
}

namespace {

/// The least that another site would come to; endless if there is none.
double least_elsewhere(SiteId site, std::span<const MpcDemand> demands, const MpcPrices& prices) {
  double least = std::numeric_limits<double>::infinity();
  for (const MpcDemand& other : demands) {
    if (other.site == site) continue;
    const MpcChoice choice = choose({&other, 1}, prices);
    if (choice.demand) least = std::min(least, choice.cost);
  }
  return least;
}

}  // namespace

std::string mpc_reason(const MpcChoice& choice, std::span<const MpcDemand> demands,
                       const MpcPrices& prices, const MpcCalendar& calendar) {
  const auto moment = [&](double hour) {
    return clock_label(calendar.begin + round_duration(hour * 3600), calendar.now);
  };
  if (demands.empty()) return "waits: every site that could take it is down";
  if (!choice.demand)
    return fmt::format("waits until {}: nowhere {:.0f} GPUs in time", moment(choice.departs),
                       demands.front().gpus);
  const std::string& name = calendar.cluster.sites[choice.demand->site.index].name;
  std::string cost = fmt::format("cost {:.3g}", choice.cost);
  const double elsewhere = least_elsewhere(choice.demand->site, demands, prices);
  if (elsewhere < std::numeric_limits<double>::infinity())
    cost += fmt::format(" against {:.3g} elsewhere", elsewhere);
  cost += " (in kWh at mean price and carbon)";
  if (choice.goes_now())
    return fmt::format("at {} from {} by the plan: {}", name, moment(choice.start), cost);
  return fmt::format("waits until {}: planned at {} from {}, {}{}", moment(choice.departs), name,
                     moment(choice.start), cost,
                     choice.eager ? "; it would go now if GPUs were free" : "");
}

}  // namespace penstock
