#pragma once

#include <set>
#include <vector>

#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {

/// The turns of a run before `then`.
inline std::vector<Turn> turns_before(const RunLog& log, Time then) {
  std::vector<Turn> turns;
  for (const Turn& turn : log.turns)
    if (turn.now < then) turns.push_back(turn);
  return turns;
}

/// The same signal until `then`, and another one from then on.
template <class Q>
Signal<Q> changed_from(const Signal<Q>& signal, Time then, Q value) {
  std::vector<typename Signal<Q>::Step> steps;
  for (const auto& step : signal.steps())
    if (step.from < then) steps.push_back(step);
  if (steps.empty()) steps.push_back({then - Duration(1), signal.at(then - Duration(1))});
  steps.push_back({then, value});
  return Signal<Q>(steps);
}

/// The jobs that have started before `then`, or have ended before it.
struct Past {
  std::set<JobId> started{};
  std::set<JobId> ended{};
  Past(const RunLog& log, Time then) {
    for (const Turn& turn : turns_before(log, then)) {
      for (const Action& action : turn.actions)
        if (const auto* start = std::get_if<Start>(&action)) started.insert(start->job);
      for (const Event& event : turn.events)
        if (const auto* finish = std::get_if<JobFinished>(&event)) ended.insert(finish->job);
    }
  }
};

/// A world that cannot be told from `world` before `then`: jobs that run then take
/// longer, jobs that have not started are quite different in truth, those still to
/// be submitted ask for other things at other times, and prices change.
inline World with_changed_future(const World& world, const RunLog& log, Time then) {
  World other = world;
  const Past past(log, then);
  std::uint32_t i = 0;
  for (TracedJob& traced : other.jobs) {
    ++i;
    if (traced.job.submitted >= then) {
      traced.job.submitted += Duration(1000);
      traced.job.gpus = 1 + traced.job.gpus / 2;
      traced.job.requested = traced.job.requested / 3 + Duration(i);
      traced.job.work = traced.job.work * 0.4;
      traced.job.batch = traced.job.batch * 2;
    }
    if (past.ended.contains(traced.job.id)) continue;
    const bool started = past.started.contains(traced.job.id);
    traced.actual = started ? traced.actual + Duration(977 * i) : Duration(500 * (i % 7) + 1);
    traced.work = traced.work * (started ? 1.5 : 0.3 * (i % 7) + 0.1);
  }
  for (SiteSignals& signals : other.signals) {
    signals.price = changed_from(signals.price, then, Price(9));
    signals.carbon = changed_from(signals.carbon, then, CarbonIntensity(1));
    signals.pue = changed_from(signals.pue, then, Ratio(3));
  }
  return other;
}

}  // namespace penstock
