#pragma once

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "worlds/elastic_dice.h"
#include "worlds/network_dice.h"
#include "worlds/table_dice.h"
#include "worlds/world.h"

namespace penstock {

/// What users ask for, compared with what their jobs need.
enum class Requests { exact, over, mixed };

/// What a random world may contain.
struct WorldLimits {
  std::uint32_t most_jobs = 30;
  std::uint32_t most_sites = 2;
  std::uint32_t most_types = 2;
  Requests requests = Requests::mixed;
  bool parents = true;
  bool failures = true;
  bool sleep = true;
  bool restarts = true;
  bool elastic = false;  ///< some jobs scale; the rest of the world is the same without them
  bool fronts = false;   ///< about half of the kinds that scale are pipelines
  bool tables = false;   ///< some nodes are billed by tables; the rest is the same without them
  bool homes = false;    ///< jobs have homes, sites are joined and may fail; the rest is the same
};

/// Draws small worlds in which many things happen at the same instant.
class WorldDice {
 public:
  WorldDice(std::uint64_t seed, const WorldLimits& limits)
      : rng_(Rng(seed).stream("world")), limits_(limits) {
    world_.sim.seed = seed;
    tick_ = std::vector<Duration>{Duration(7), Duration(1000), Duration(60'000)}[below(3)];
  }

  World roll() {
    roll_cluster();
    for (std::size_t i = 0; i < world_.cluster.sites.size(); ++i) {
      world_.signals.push_back(roll_signals());
      world_.forecasts.push_back({.price = {PersistenceForecast{}, std::nullopt},
                                  .carbon = {PersistenceForecast{}, std::nullopt}});
    }
    roll_costs();
    roll_jobs();
    return std::move(world_);
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(rng_.below(n)); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + below(most - least + 1);
  }
  bool chance(double p) { return rng_.uniform() < p; }
  Duration ticks(std::uint32_t least, std::uint32_t most) { return between(least, most) * tick_; }

  void roll_cluster() {
    Cluster& cluster = world_.cluster;
    cluster.types = {{.name = "old", .idle = Watts(50), .peak = Watts(300), .sleep = Watts(7)}};
    if (limits_.most_types > 1 && chance(0.5))
      cluster.types.push_back(
          {.name = "new", .idle = Watts(35), .peak = Watts(700), .sleep = Watts(3)});
    const std::uint32_t sites = between(1, limits_.most_sites);
    for (std::uint32_t i = 0; i < sites; ++i) {
      std::vector<NodeGroup> groups;
      for (std::uint32_t g = between(1, 2); g > 0; --g) groups.push_back(roll_group());
      add_site(cluster, i == 0 ? "north" : "south", groups);
    }
  }

  NodeGroup roll_group() {
    constexpr std::uint32_t kSizes[] = {1, 2, 3, 4, 4, 6, 8};
    return {.count = between(1, 3),
            .gpus = kSizes[below(7)],
            .type = {below(static_cast<std::uint32_t>(world_.cluster.types.size()))},
            .rack = below(3),
            .base = Watts(200),
            .base_sleep = Watts(12)};
  }

  template <class Q>
  Signal<Q> roll_signal(double least, double most) {
    std::vector<typename Signal<Q>::Step> steps;
    Time at = world_.start() - ticks(0, 20);
    for (std::uint32_t n = between(1, 12); n > 0; --n) {
      steps.push_back({at, Q(least + (most - least) * rng_.uniform())});
      at += ticks(1, 40) + Duration(below(3));
    }
    return Signal<Q>(steps);
  }

  SiteSignals roll_signals() {
    return {.price = roll_signal<Price>(-0.1, 0.5),
            .carbon = roll_signal<CarbonIntensity>(0, 700),
            .pue = roll_signal<Ratio>(1, 1.6),
            .cap = std::nullopt,
            .temperature = std::nullopt,
            .known_until = std::nullopt};
  }

  void roll_costs() {
    if (limits_.restarts && chance(0.6)) world_.costs.restart = ticks(1, 4);
    if (limits_.sleep && chance(0.4)) {
      world_.costs.sleep_after = ticks(0, 8);
      world_.costs.wake = ticks(0, 5);
    }
    if (limits_.failures && chance(0.4))
      world_.sim.failures = {.mtbf = ticks(300, 900),
                             .mttr = ticks(5, 40),
                             .checkpoint = chance(0.3) ? Duration::zero() : ticks(1, 6)};
    if (limits_.requests == Requests::mixed && chance(0.5))
      world_.sim.over_request = OverRequest::extend;
  }

  void roll_jobs() {
    const std::uint32_t count = between(1, limits_.most_jobs);
    Time at = world_.start();
    for (std::uint32_t i = 0; i < count; ++i) {
      if (chance(0.7)) at += ticks(0, 6);
      world_.jobs.push_back(roll_job(JobId{i}, at));
    }
  }

  TracedJob roll_job(JobId id, Time at) {
    TracedJob traced{.job = {.id = id, .submitted = at, .name = "job-" + std::to_string(id.index)},
                     .actual = chance(0.05) ? Duration(1) : ticks(1, 25),
                     .load = rng_.uniform()};
    Job& job = traced.job;
    if (chance(0.3)) job.gpu_types = 1ull << below(2);
    if (largest_pool(job.gpu_types) == 0) job.gpu_types = ~0ull;
    const std::uint32_t most = largest_pool(job.gpu_types);
    job.gpus = chance(0.2) ? between(1, most) : between(1, std::min(most, 4u));
    job.requested = roll_request(traced.actual);
    if (chance(0.3)) job.deadline = at + ticks(1, 60);
    job.priority = below(4);
    if (limits_.parents && id.index > 0 && chance(0.2)) roll_parents(job);
    return traced;
  }

  Duration roll_request(Duration actual) {
    if (limits_.requests == Requests::exact || chance(0.3)) return actual;
    if (limits_.requests == Requests::mixed && chance(0.3))
      return std::max(Duration(1), actual / 2);
    return actual + ticks(0, 30);
  }

  void roll_parents(Job& job) {
    for (std::uint32_t n = between(1, 3); n > 0; --n) {
      const JobId parent{below(job.id.index)};
      if (std::ranges::find(job.parents, parent) == job.parents.end())
        job.parents.push_back(parent);
    }
  }

  /// The most GPUs of one type at one site that a job could ever get.
  std::uint32_t largest_pool(std::uint64_t gpu_types) const {
    std::uint32_t most = 0;
    for (std::uint32_t site = 0; site < world_.cluster.sites.size(); ++site)
      for (std::uint32_t type = 0; type < world_.cluster.types.size(); ++type) {
        std::uint32_t gpus = 0;
        for (const Node& node : world_.cluster.nodes)
          if (node.site.index == site && node.type.index == type) gpus += node.gpus;
        if ((gpu_types >> type & 1) != 0) most = std::max(most, gpus);
      }
    return most;
  }

  Rng rng_;
  WorldLimits limits_;
  Duration tick_{};
  World world_;
};

inline World random_world(std::uint64_t seed, const WorldLimits& limits = {}) {
  World world = WorldDice(seed, limits).roll();
  if (limits.elastic) ElasticDice(seed, world, limits.fronts).roll();
  if (limits.tables) TableDice(seed, world.cluster).roll();
  if (limits.homes) NetworkDice(seed, world).roll();
  return world;
}

/// A small world of one site and one type, in which only numbers of GPUs matter.
inline World one_pool_world(std::uint64_t seed, Requests requests) {
  World world = random_world(seed, {.most_sites = 1,
                                    .most_types = 1,
                                    .requests = requests,
                                    .parents = false,
                                    .failures = false,
                                    .sleep = false,
                                    .restarts = false});
  world.sim.over_request = OverRequest::kill;
  for (TracedJob& traced : world.jobs) traced.job.gpu_types = ~0ull;
  return world;
}

}  // namespace penstock
