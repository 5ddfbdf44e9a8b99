#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/cluster.h"
#include "model/costs.h"
#include "model/forecast.h"
#include "model/models.h"
#include "model/trace.h"
#include "sim/sim_backend.h"

namespace penstock {

/// All that a simulated run is made of, as plain values.
struct World {
  Cluster cluster{};
  std::vector<SiteSignals> signals{};      ///< indexed by SiteId
  std::vector<SiteForecasts> forecasts{};  ///< indexed by SiteId
  std::vector<TracedJob> jobs{};           ///< indexed by JobId
  Models models{};                         ///< how jobs scale, in truth and as believed
  Costs costs{.restart = Duration::zero(), .wake = Duration::zero(), .sleep_after = std::nullopt};
  SimOptions sim{.start = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1))};

  Time start() const { return sim.start; }
  /// What a job really has to do before it ends: its work, or for a rigid job its milliseconds.
  Work due(JobId id) const {
    const TracedJob& traced = jobs[id.index];
    const auto rigid = [](Duration time) { return Work(static_cast<double>(time.count())); };
    const Work needed = traced.job.kind_id ? traced.work : rigid(traced.actual);
    const Work asked = traced.job.kind_id ? traced.job.work : rigid(traced.job.requested);
    return sim.over_request == OverRequest::kill ? std::min(needed, asked) : needed;
  }
  /// Does it need more than it may have?
  bool kills(JobId id) const {
    const TracedJob& traced = jobs[id.index];
    const bool over =
        traced.job.kind_id ? traced.work > traced.job.work : traced.actual > traced.job.requested;
    return over && sim.over_request == OverRequest::kill;
  }
};

/// A job to put into a small world, times in seconds after its start.
struct PlainJob {
  double submitted = 0;
  std::uint32_t gpus = 1;
  double requested = 0;
  double actual = 0;
  std::vector<JobId> parents{};
};

inline void add_job(World& world, const PlainJob& plain) {
  const JobId id{static_cast<std::uint32_t>(world.jobs.size())};
  world.jobs.push_back({.job = {.id = id,
                                .submitted = world.start() + round_duration(plain.submitted),
                                .gpus = plain.gpus,
                                .requested = round_duration(plain.requested),
                                .parents = plain.parents,
                                .name = "job-" + std::to_string(id.index)},
                        .actual = round_duration(plain.actual)});
}

/// One site of `nodes` alike; GPUs idle at 50 W, work at 400 W and sleep at 5 W, a
/// node around them draws 100 W awake and 10 W asleep. Power costs nothing.
inline World one_site(std::uint32_t nodes, std::uint32_t gpus_per_node) {
  World world;
  world.cluster.types = {
      {.name = "plain", .idle = Watts(50), .peak = Watts(400), .sleep = Watts(5)}};
  add_site(world.cluster, "here",
           {{.count = nodes,
             .gpus = gpus_per_node,
             .type = {},
             .rack = 2,
             .base = Watts(100),
             .base_sleep = Watts(10)}});
  world.signals.resize(1);
  world.forecasts.resize(1);
  return world;
}

}  // namespace penstock
