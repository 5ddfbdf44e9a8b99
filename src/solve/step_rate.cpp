#include "solve/step_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

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
  std::size_t i = index_at(from);
  double least = steps_[i].rate;
  while (++i < steps_.size() && steps_[i].from < to) least = std::min(least, steps_[i].rate);
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

StepRate rate_of(const SiteSignals& site, const BoundedWorld& world, Measured what) {
  std::set<Time> times{world.start};
  add_times(times, site.pue, world.start);
  if (what == Measured::money) {
    add_times(times, site.price, world.start);
    add_times(times, site.carbon, world.start);
  }
  std::vector<StepRate::Step> steps;
  for (const Time t : times) {
    double rate = site.pue.at(t).value();
    if (what == Measured::money)
      rate *= (site.price.at(t).value() + world.carbon_price * site.carbon.at(t).value()) /
              kJoulesPerKwh;
    steps.push_back({.from = seconds(t - world.start), .rate = rate});
  }
  return StepRate(std::move(steps));
}

Machines machines_of(const BoundedWorld& world, const std::vector<GpuDraw>& draws) {
  Machines machines{.least_watts = std::vector<double>(world.cluster.sites.size(), 0.0),
                    .most_watts = std::vector<double>(world.cluster.sites.size(), 0.0)};
  std::map<std::pair<std::uint32_t, std::uint32_t>, GpuPool> pools;
  for (const Node& node : world.cluster.nodes) {
    double around = node.base.value();
    if (world.costs.sleep_after) around = std::min(around, node.base_sleep.value());
    if (world.failures) around = 0;
    const GpuDraw& draw = draws[node.type.index];
    const std::uint32_t site = node.site.index;
    machines.least_watts[site] += around + draw.least * node.gpus;
    machines.most_watts[site] +=
        std::max(node.base, node.base_sleep).value() + draw.most * node.gpus;
    const double node_watts = (node.base.value() - around) / node.gpus;
    const auto [pool, is_new] =
        pools.try_emplace({site, node.type.index},
                          GpuPool{.site = site, .type = node.type.index, .node_watts = node_watts});
    pool->second.gpus += node.gpus;
    pool->second.node_watts = std::min(pool->second.node_watts, node_watts);
  }
  for (const auto& [key, pool] : pools) machines.pools.push_back(pool);
  return machines;
}

StepRate idle_rate(const Machines& machines, std::span<const StepRate> rates) {
  std::set<double> times;
  for (const StepRate& rate : rates)
    for (const StepRate::Step& step : rate.steps()) times.insert(step.from);
  std::vector<StepRate::Step> steps;
  for (const double t : times) {
    double sum = 0;
    for (std::size_t site = 0; site < rates.size(); ++site) {
      const double rate = rates[site].at(t);
      sum += rate * (rate > 0 ? machines.least_watts[site] : machines.most_watts[site]);
    }
    steps.push_back({.from = t, .rate = sum});
  }
  return StepRate(std::move(steps));
}

}  // namespace penstock
