#include "policies/geo/mpc_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "solve/linear_program.h"

namespace penstock {
namespace {

/// Starts that are tried, in steps after the first possible one: coarser the later.
constexpr std::array<int, 12> kStarts{0, 1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 24};
constexpr std::size_t kFewest = 8;  ///< columns of a group, however many groups there are

/// A group at a site from an hour on.
struct Start {
  const MpcDemand* demand = nullptr;
  double hour = 0;
  double cost = 0;
};

std::vector<Start> starts_of(const MpcGroup& group, const MpcTariff& tariff, double step,
                             double horizon) {
  std::vector<Start> all;
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

class Program {
 public:
  Program(const MpcTariff& tariff, const MpcRoom& room, std::size_t sites)
      : tariff_(tariff),
        room_(room),
        taken_(sites, std::vector<std::vector<LinearProgram::Term>>(room.steps())) {}

  void add(const MpcGroup& group, std::size_t most) {
    const double horizon = room_.step_hours() * static_cast<double>(room_.steps());
    std::vector<Start> starts = starts_of(group, tariff_, room_.step_hours(), horizon);
    if (starts.empty()) return;
    std::ranges::sort(starts, {}, [](const Start& start) {
      return std::tuple(start.cost, start.demand->site, start.hour);
    });
    const double dearest = starts.back().cost;
    if (starts.size() > most) starts.resize(most);
    std::vector<LinearProgram::Term> shares;
    shares.reserve(starts.size() + 1);
    for (const Start& start : starts) shares.push_back({add(start), 1});
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
  int add(const Start& start) {
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
  Program program(tariff, room, room.sites());
  const std::size_t most =
      std::max(kFewest, most_columns / std::max<std::size_t>(1, groups.size()));
  for (const MpcGroup& group : groups) program.add(group, most);
  return program.solve();
}

}  // namespace penstock
