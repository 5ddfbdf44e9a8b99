#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "worlds/replay.h"
#include "worlds/world.h"

namespace penstock {

/// Joules, money, grams and rent, and how large their parts were before signs cancelled.
struct Tally {
  static constexpr std::size_t kMeasures = 4;
  std::array<double, kMeasures> sum{};
  std::array<double, kMeasures> size{};
  void add(const Tally& other) {
    for (std::size_t i = 0; i < kMeasures; ++i) {
      sum[i] += other.sum[i];
      size[i] += other.size[i];
    }
  }
};

struct SiteTally {
  Tally jobs, idle, overhead;
  Tally total() const {
    Tally sum = jobs;
    sum.add(idle);
    sum.add(overhead);
    return sum;
  }
};

template <class Q>
inline double value_at(const Signal<Q>& signal, Time t) {
  double value = signal.steps().front().value.value();
  for (const auto& step : signal.steps())
    if (step.from <= t) value = step.value.value();
  return value;
}

/// Re-adds energy, money, carbon and rent of a whole run by brute force: one elementary interval
/// after the other, GPU by GPU, from the replayed run and the signals alone.
class Referee {
 public:
  Referee(const World& world, const Replay& replay)
      : world_(world), replay_(replay), sites(world.cluster.sites.size()), jobs(world.jobs.size()) {
    const std::vector<Time> cuts = find_cuts();
    until[cuts.front()] = {};
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      add_interval(cuts[i - 1], cuts[i]);
      for (const SiteTally& site : sites) until[cuts[i]].add(site.total());
    }
  }

 private:
  const World& world_;
  const Replay& replay_;

 public:
  std::vector<SiteTally> sites;  ///< indexed by SiteId
  std::vector<Tally> jobs;       ///< indexed by JobId
  std::map<Time, Tally> until;   ///< all that was used, by each instant of the run
  double gpu_seconds = 0;

 private:
  /// Every instant at which anything changes, in order.
  std::vector<Time> find_cuts() const {
    std::set<Time> cuts(replay_.instants().begin(), replay_.instants().end());
    cuts.insert({world_.start(), replay_.end()});
    for (const SiteSignals& signals : world_.signals) {
      for (const auto& step : signals.price.steps()) cuts.insert(step.from);
      for (const auto& step : signals.carbon.steps()) cuts.insert(step.from);
      for (const auto& step : signals.pue.steps()) cuts.insert(step.from);
    }
    for (const RunSegment& stay : replay_.stays()) cuts.insert({stay.from, stay.to});
    for (const auto& spans : replay_.nodes())
      for (const NodeSpan& span : spans) cuts.insert(span.from);
    cuts.erase(cuts.begin(), cuts.find(world_.start()));
    cuts.erase(std::next(cuts.find(replay_.end())), cuts.end());
    return {cuts.begin(), cuts.end()};
  }

  void add_interval(Time from, Time to) {
    for (std::uint32_t n = 0; n < world_.cluster.nodes.size(); ++n) {
      const Node& node = world_.cluster.nodes[n];
      const NodePhase phase = phase_at(n, from);
      if (phase == NodePhase::awake) add_tables(node, from, to);
      const bool tabled = phase == NodePhase::awake && has_power_table(node);
      const Watts base = phase == NodePhase::awake    ? node.base
                         : phase == NodePhase::asleep ? node.base_sleep
                                                      : Watts(0);
      if (!tabled) sites[node.site.index].overhead.add(tally(node.site, base, from, to));
      for (std::uint32_t g = 0; g < node.gpus; ++g) {
        const GpuId gpu{node.first.index + g};
        if (!tabled) add_gpu(gpu, phase, from, to);
        if (holder(gpu, from) != nullptr) gpu_seconds += seconds(to - from);
      }
    }
  }

  bool has_power_table(const Node& node) const {
    return node.tables != Node::kNoTables && !world_.cluster.node_tables[node.tables].power.empty();
  }

  /// What a node's tables say for as many GPUs as are held, each of which gets a like part.
  void add_tables(const Node& node, Time from, Time to) {
    if (node.tables == Node::kNoTables) return;
    const NodeTables& tables = world_.cluster.node_tables[node.tables];
    std::vector<JobId> holders;
    for (std::uint32_t g = 0; g < node.gpus; ++g)
      if (const RunSegment* stay = holder(GpuId{node.first.index + g}, from))
        holders.push_back(stay->job);
    const std::size_t used = holders.size();
    const double parts = used == 0 ? 1 : static_cast<double>(used);
    const Watts draw = tables.power.empty() ? Watts(0) : tables.power[used];
    Tally part = tally(node.site, draw / parts, from, to);
    if (!tables.rent.empty())
      part.sum[3] = part.size[3] = tables.rent[used].value() / parts * seconds(to - from);
    if (holders.empty()) sites[node.site.index].overhead.add(part);
    for (const JobId job : holders) {
      jobs[job.index].add(part);
      sites[node.site.index].jobs.add(part);
    }
  }

  void add_gpu(GpuId gpu, NodePhase phase, Time from, Time to) {
    const Node& node = world_.cluster.node(gpu);
    const GpuType& type = world_.cluster.type(node);
    if (const RunSegment* stay = holder(gpu, from)) {
      const Tally used = tally(node.site, stay->draw, from, to);
      jobs[stay->job.index].add(used);
      sites[node.site.index].jobs.add(used);
      return;
    }
    const Watts idle = phase == NodePhase::awake    ? type.idle
                       : phase == NodePhase::asleep ? type.sleep
                                                    : Watts(0);
    sites[node.site.index].idle.add(tally(node.site, idle, from, to));
  }

  Tally tally(SiteId site, Watts draw, Time from, Time to) const {
    const SiteSignals& signals = world_.signals[site.index];
    const double joules = draw.value() * value_at(signals.pue, from) * seconds(to - from);
    const double money = joules / 3.6e6 * value_at(signals.price, from);
    const double grams = joules / 3.6e6 * value_at(signals.carbon, from);
    return {{joules, money, grams, 0}, {joules, std::abs(money), grams, 0}};
  }

  const RunSegment* holder(GpuId gpu, Time t) const {
    for (const RunSegment& stay : replay_.stays())
      if (stay.from <= t && t < stay.to && stay.covers(gpu)) return &stay;
    return nullptr;
  }

  NodePhase phase_at(std::uint32_t node, Time t) const {
    for (const NodeSpan& span : replay_.nodes()[node])
      if (span.from <= t && t < span.to) return span.phase;
    return NodePhase::awake;
  }
};

inline void expect_same(const Bill& bill, const Tally& tally, double tolerance) {
  constexpr double kFloor = 1e-12;
  const std::array<double, Tally::kMeasures> billed{bill.energy.value(), bill.cost.value(),
                                                    bill.carbon.value(), bill.rent.value()};
  for (std::size_t i = 0; i < billed.size(); ++i)
    EXPECT_NEAR(billed[i], tally.sum[i], tolerance * tally.size[i] + kFloor) << "measure " << i;
}

}  // namespace penstock
