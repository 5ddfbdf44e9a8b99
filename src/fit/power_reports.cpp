#include "fit/power_reports.h"

#include <algorithm>

#include "fit/power_curve.h"
#include "model/gpu_type.h"

namespace penstock {
namespace {

/// Measured energy of a piece of work at each clock of the first series, or each limit.
template <class Series, class Setting>
void find_best(PowerReport& report, const Series& series, const Setting& setting,
               const std::vector<double>& fitted) {
  std::size_t best = 0;
  std::size_t guess = 0;
  const auto energy = [&](std::size_t i) { return series[i].draw.value() * series[i].seconds; };
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (energy(i) < energy(best)) best = i;
    if (fitted[i] < fitted[guess]) guess = i;
  }
  report.best_measured = setting(series[best]);
  report.best_fitted = setting(series[guess]);
  report.excess = energy(guess) / energy(best) - 1;
}

}  // namespace

PowerPrior prior_of(const std::string& gpu) {
  const auto types = gpu_catalogue();
  const auto type = std::ranges::find(types, gpu, &GpuType::name);
  if (type == types.end()) return {.idle = Watts(30), .peak = Watts(300)};
  return {.idle = type->idle, .peak = type->peak};
}

PowerReport report_power(const ClockSweep& sweep) {
  PowerReport report{.model = sweep.model, .gpu = sweep.gpu, .source = sweep.source};
  const PowerPrior prior = prior_of(sweep.gpu);
  std::vector<ClockSeries> series;
  for (const ClockSeries& one : sweep.series) {
    series.push_back(held_clocks(one));
    report.points += one.size();
  }
  report.fit = fit_power(series, prior);
  report.held_out = hold_out(series, prior);
  std::vector<double> fitted;
  for (const ClockObservation& seen : series.front())
    fitted.push_back(computing_draw(report.fit.power, seen.clock).value() *
                     slowdown(report.fit.delta, seen.clock));
  const auto mhz = [&](const ClockObservation& seen) { return seen.clock * sweep.highest_mhz; };
  find_best(report, sweep.series.front(), mhz, fitted);
  return report;
}

PowerReport report_power(const LimitSweep& sweep) {
  PowerReport report{.model = sweep.model,
                     .gpu = sweep.gpu,
                     .source = sweep.source,
                     .by_limit = true,
                     .batch = sweep.batch,
                     .points = sweep.series.size()};
  const PowerPrior prior = prior_of(sweep.gpu);
  const std::vector<LimitSeries> series{sweep.series};
  report.fit = fit_power(series, prior);
  report.held_out = hold_out(sweep.series, prior);
  std::vector<double> fitted;
  for (const LimitObservation& seen : sweep.series) {
    const double clock = clock_within(report.fit.power, seen.limit);
    fitted.push_back(computing_draw(report.fit.power, clock).value() *
                     slowdown(report.fit.delta, clock));
  }
  find_best(
      report, sweep.series, [](const LimitObservation& seen) { return seen.limit.value(); },
      fitted);
  return report;
}

}  // namespace penstock
