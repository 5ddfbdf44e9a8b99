#include "report/svg/fit_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/svg/charts.h"

namespace penstock {
namespace {

constexpr std::size_t kMostCurves = 6;

bool is_of(const Profile& profile, const std::string& model, const std::string& gpu) {
  return gpu == profile.gpu && (model == profile.name ||
                                std::ranges::find(profile.aliases, model) != profile.aliases.end());
}

/// The table whose source the profile names.
const SpeedTable* table_of(const Profile& profile, const Measurements& measurements) {
  for (const SpeedTable& table : measurements.speeds)
    if (is_of(profile, table.model, table.gpu) &&
        profile.source.find("speed: " + table.source) != std::string::npos)
      return &table;
  return nullptr;
}

double samples_per_second(const SpeedObservation& seen, double seconds) {
  return seen.config.batch / seconds;
}

/// Measured and fitted samples per second of one batch size, on as few nodes as measured.
SvgCurve speed_curve(const Profile& profile, std::string label,
                     const std::vector<const SpeedObservation*>& points) {
  std::map<std::uint32_t, const SpeedObservation*> on_fewest_nodes;
  for (const SpeedObservation* seen : points) {
    const SpeedObservation*& kept = on_fewest_nodes[seen->config.gpus];
    if (!kept || seen->config.nodes < kept->config.nodes) kept = seen;
  }
  SvgCurve curve{.label = std::move(label)};
  for (const auto& [gpus, seen] : on_fewest_nodes) {
    curve.dots.emplace_back(gpus, samples_per_second(*seen, seen->seconds));
    curve.line.emplace_back(
        gpus, samples_per_second(*seen, iteration_time(profile.speed, seen->config).total));
  }
  return curve;
}

SvgPanel speed_panel(const Profile& profile, const SpeedTable& table) {
  std::map<double, std::vector<const SpeedObservation*>> by_batch;
  for (const SpeedObservation& seen : table.points) {
    const double batch = seen.config.batch / (table.batch_per_gpu ? seen.config.gpus : 1);
    by_batch[batch].push_back(&seen);
  }
  SvgPanel panel{.title = "samples per second: measured (dots) and fitted",
                 .across = "GPUs",
                 .log_across = true};
  const std::size_t every = (by_batch.size() + kMostCurves - 1) / kMostCurves;
  std::size_t index = 0;
  for (const auto& [batch, points] : by_batch)
    if (index++ % every == 0)
      panel.curves.push_back(speed_curve(
          profile, fmt::format("batch {:g}{}", batch, table.batch_per_gpu ? " per GPU" : ""),
          points));
  return panel;
}

/// Adds a measured point, as parts of what was measured at the highest setting.
void add_dot(SvgPanel& panel, double clock, double time, double draw) {
  panel.curves[0].dots.emplace_back(clock, draw);
  panel.curves[1].dots.emplace_back(clock, draw * time);
}

/// Power limits say no clock: each point stands where the fit is as slow.
void add_limits(SvgPanel& panel, const Profile& profile, const Measurements& measurements) {
  const double local = std::min(profile.batch_usual, profile.batch.local_most);
  const LimitSweep* nearest = nullptr;
  const auto distance = [&](const LimitSweep& s) { return std::abs(std::log(s.batch / local)); };
  for (const LimitSweep& sweep : measurements.limits)
    if (is_of(profile, sweep.model, sweep.gpu) &&
        (!nearest || distance(sweep) < distance(*nearest)))
      nearest = &sweep;
  if (!nearest) return;
  const LimitObservation& top = nearest->series.back();
  for (const auto& [limit, seconds, draw] : nearest->series) {
    const double time = std::max(1.0, seconds / top.seconds);
    const double delta = profile.speed.delta;
    add_dot(panel, (1 - delta) / (time - delta), time, draw / top.draw);
  }
}

/// Of a sweep of clocks, the first series: the model may be another, the GPU type is the same.
void add_clocks(SvgPanel& panel, const Profile& profile, const Measurements& measurements) {
  for (const ClockSweep& sweep : measurements.clocks) {
    if (sweep.gpu != profile.gpu) continue;
    const auto& series = sweep.series.front();
    const ClockObservation& top = std::ranges::max(series, {}, &ClockObservation::clock);
    for (const auto& [clock, seconds, draw] : series)
      add_dot(panel, clock, seconds / top.seconds, draw / top.draw);
    return;
  }
}

SvgPanel power_panel(const Profile& profile, const Measurements& measurements) {
  SvgPanel panel{.title = "relative to the highest clock: measured (dots) and fitted",
                 .across = "clock / highest clock",
                 .curves = {{.label = "power"}, {.label = "energy per work"}}};
  for (int i = 30; i <= 100; ++i) {
    const double clock = i / 100.0;
    const double draw = computing_draw(profile.power, clock) / computing_draw(profile.power, 1);
    panel.curves[0].line.emplace_back(clock, draw);
    panel.curves[1].line.emplace_back(clock, draw * clock_slowdown(profile.speed.delta, clock));
  }
  add_limits(panel, profile, measurements);
  if (panel.curves[0].dots.empty()) add_clocks(panel, profile, measurements);
  return panel;
}

}  // namespace

std::string fit_plot(const Profile& profile, const Measurements& measurements) {
  std::vector<SvgPanel> panels;
  if (const SpeedTable* table = table_of(profile, measurements))
    panels.push_back(speed_panel(profile, *table));
  panels.push_back(power_panel(profile, measurements));
  return svg_picture(fmt::format("{} on {}; {}", profile.name, profile.gpu, profile.source),
                     panels);
}

}  // namespace penstock
