#include "solve/step_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/check.h"

namespace penstock {

StepRate::StepRate(std::vector<Step> steps) : steps_(std::move(steps)) {
  PENSTOCK_CHECK(!steps_.empty() && steps_.front().from == 0);
  for (std::size_t i = 1; i < steps_.size(); ++i)
    steps_[i].sum = steps_[i - 1].sum + steps_[i - 1].rate * (steps_[i].from - steps_[i - 1].from);
}

std::size_t StepRate::index_at(double when) const {
  const auto after = std::ranges::upper_bound(steps_, when, {}, &Step::from);
  return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
}

double StepRate::at(double when) const {
  return steps_[index_at(when)].rate;
}

double StepRate::sum_until(double to) const {
  const Step& step = steps_[index_at(to)];
  return step.sum + step.rate * (to - step.from);
}

double StepRate::least_rate(double from, double to) const {
  const std::size_t first = index_at(from);
  double least = steps_[first].rate;
  for (std::size_t i = first + 1; i < steps_.size() && steps_[i].from < to; ++i)
    least = std::min(least, steps_[i].rate);
  return least;
}

double StepRate::least_sum(double from, double to) const {
  double least = sum_until(from);
  for (std::size_t i = index_at(from) + 1; i < steps_.size() && steps_[i].from < to; ++i)
    least = std::min(least, steps_[i].sum);
  if (std::isfinite(to)) return std::min(least, sum_until(to));
  return steps_.back().rate < 0 ? -std::numeric_limits<double>::infinity() : least;
}

namespace {

template <class Q>
void add_times(std::set<Time>& times, const Signal<Q>& signal, Time start) {
  for (const auto& step : signal.steps())
    if (step.from > start) times.insert(step.from);
}

}  // namespace

StepRate rate_of(const SiteSignals& site, const BoundedWorld& world,
                 const ObjectiveWeights& weights) {
  std::set<Time> times{world.start};
  add_times(times, site.pue, world.start);
  if (weights.money > 0) add_times(times, site.price, world.start);
  if (weights.gram > 0) add_times(times, site.carbon, world.start);
  std::vector<StepRate::Step> steps;
  for (const Time t : times) {
    double per_kwh = weights.joule * kJoulesPerKwh;
    if (weights.money > 0) per_kwh += weights.money * site.price.at(t).value();
    if (weights.gram > 0) per_kwh += weights.gram * site.carbon.at(t).value();
    const double rate = site.pue.at(t).value() * per_kwh / kJoulesPerKwh;
    steps.push_back({.from = seconds(t - world.start), .rate = rate});
  }
  return StepRate(std::move(steps));
}

namespace {

/// What something by GPUs in use is at least: `least`, and `per_gpu` more for each in use.
struct Slope {
  double least = 0;
  double per_gpu = 0;
};

template <class Q>
Slope slope_of(const std::vector<Q>& table, double unless_awake) {
  Slope slope{.least = unless_awake, .per_gpu = std::numeric_limits<double>::infinity()};
  for (const Q& entry : table) slope.least = std::min(slope.least, entry.value());
  for (std::size_t used = 1; used < table.size(); ++used)
    slope.per_gpu = std::min(slope.per_gpu, (table[used].value() - slope.least) / double(used));
  return slope;
}

/// A node in the extremes of what it draws and costs.
struct NodeExtremes {
  Slope watts{};
  Slope rent{};
  double most_watts = 0;
  double idle_watts = 0;       ///< or asleep, where that is more
  double most_node_watts = 0;  ///< of a GPU beyond idle_watts, by a table
  bool own_draw = true;
};

NodeExtremes extremes_of(const Node& node, const BoundedWorld& world, const GpuDraw& draw) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const GpuType& type = world.cluster.type(node);
  const double around_asleep = world.costs.sleep_after ? node.base_sleep.value() : kNever;
  const double asleep = around_asleep + type.sleep.value() * node.gpus;
  const double down = world.failures ? 0 : kNever;
  NodeExtremes extremes;
  const NodeTables* tables = world.cluster.tables(node);
  if (tables != nullptr && !tables->rent.empty())
    extremes.rent = slope_of(tables->rent, world.costs.sleep_after ? 0 : down);
  if (world.cluster.has_power_table(node)) {
    extremes.own_draw = false;
    extremes.watts = slope_of(tables->power, std::min(asleep, down));
    extremes.most_watts = std::ranges::max(tables->power).value();
    extremes.idle_watts = tables->power.front().value();
  } else {
    const double around = std::min({node.base.value(), around_asleep, down});
    extremes.watts = {.least = around + draw.least * node.gpus,
                      .per_gpu = (node.base.value() - around) / node.gpus};
    extremes.most_watts = node.base.value() + draw.most * node.gpus;
    extremes.idle_watts = (node.base + type.idle * node.gpus).value();
  }
  const double sleeping = (node.base_sleep + type.sleep * node.gpus).value();
  extremes.most_watts = std::max(extremes.most_watts, sleeping);
  if (world.costs.sleep_after) extremes.idle_watts = std::max(extremes.idle_watts, sleeping);
  if (!extremes.own_draw)
    for (std::size_t used = 1; used < tables->power.size(); ++used)
      extremes.most_node_watts =
          std::max(extremes.most_node_watts,
                   (tables->power[used].value() - extremes.idle_watts) / double(used));
  return extremes;
}

}  // namespace

Machines machines_of(const BoundedWorld& world, const std::vector<GpuDraw>& draws, MostDraw most) {
  Machines machines{.least_watts = std::vector<double>(world.cluster.sites.size(), 0.0),
                    .most_watts = std::vector<double>(world.cluster.sites.size(), 0.0)};
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, GpuPool> pools;
  for (const Node& node : world.cluster.nodes) {
    const NodeExtremes extremes = extremes_of(node, world, draws[node.type.index]);
    const std::uint32_t site = node.site.index;
    machines.least_watts[site] += extremes.watts.least;
    machines.most_watts[site] += most == MostDraw::idle ? extremes.idle_watts : extremes.most_watts;
    machines.least_rent += extremes.rent.least;
    const auto [found, is_new] =
        pools.try_emplace({site, node.type.index, node.tables},
                          GpuPool{.site = site,
                                  .type = node.type.index,
                                  .own_draw = extremes.own_draw,
                                  .node_watts = extremes.watts.per_gpu,
                                  .rent = extremes.rent.per_gpu,
                                  .idle_watts = world.cluster.types[node.type.index].idle.value(),
                                  .least_watts = draws[node.type.index].least});
    GpuPool& pool = found->second;
    pool.gpus += node.gpus;
    pool.node_watts = std::min(pool.node_watts, extremes.watts.per_gpu);
    pool.most_node_watts = std::max(pool.most_node_watts, extremes.most_node_watts);
  }
  for (const auto& [key, pool] : pools) machines.pools.push_back(pool);
  return machines;
}

StepRate idle_rate(const Machines& machines, std::span<const StepRate> rates,
                   const ObjectiveWeights& weights) {
  std::set<double> times;
  for (const StepRate& rate : rates)
    for (const StepRate::Step& step : rate.steps()) times.insert(step.from);
  std::vector<StepRate::Step> steps;
  for (const double t : times) {
    double sum = weights.money * machines.least_rent;
    for (std::size_t site = 0; site < rates.size(); ++site) {
      const double rate = rates[site].at(t);
      sum += rate * (rate > 0 ? machines.least_watts[site] : machines.most_watts[site]);
    }
    steps.push_back({.from = t, .rate = sum});
  }
  return StepRate(std::move(steps));
}

}  // namespace penstock
