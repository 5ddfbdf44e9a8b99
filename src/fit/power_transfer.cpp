#include "fit/power_transfer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fit/power_fit.h"
#include "model/gpu_type.h"

namespace penstock {

// Reports

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
                     clock_slowdown(report.fit.delta, seen.clock));
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
                     clock_slowdown(report.fit.delta, clock));
  }
  find_best(
      report, sweep.series, [](const LimitObservation& seen) { return seen.limit.value(); },
      fitted);
  return report;
}

// Transfer

namespace {

/// The curve with its value at the highest clock moved to `top`, never below idle.
PowerModel scaled(const PowerModel& curve, Watts top, const PowerPrior& prior) {
  const double factor = top / (curve.p0 + curve.p1 + curve.p3);
  PowerModel power{.p0 = std::max(curve.p0 * factor, prior.idle)};
  const Watts rising = std::max(top - power.p0, Watts(0.01) * prior.peak.value());
  const Watts measured_rising = curve.p1 + curve.p3;
  power.p1 = rising * (curve.p1 / measured_rising);
  power.p3 = rising * (curve.p3 / measured_rising);
  power.p1_sync = rising * prior.sync;
  return power;
}

std::map<std::string, std::vector<double>> drives_of(const std::vector<LimitSweep>& limits) {
  std::map<std::string, double> most_on_gpu;
  std::map<std::pair<std::string, std::string>, double> most;
  for (const LimitSweep& sweep : limits)
    for (const LimitObservation& seen : sweep.series) {
      double& of_gpu = most_on_gpu[sweep.gpu];
      double& of_model = most[{sweep.model, sweep.gpu}];
      of_gpu = std::max(of_gpu, seen.draw.value());
      of_model = std::max(of_model, seen.draw.value());
    }
  std::map<std::string, std::vector<double>> drives;
  for (const auto& [key, watts] : most)
    drives[key.first].push_back(watts / most_on_gpu[key.second]);
  return drives;
}

/// All series as parts of their type's peak, so that types can be fitted together.
template <class Sweep>
auto relative_series(const Sweep& sweep) {
  std::vector<ClockSeries> all;
  const Watts peak = prior_of(sweep.gpu).peak;
  for (const ClockSeries& one : sweep.series) {
    all.push_back(held_clocks(one));
    for (ClockObservation& seen : all.back()) seen.draw = Watts(100 * (seen.draw / peak));
  }
  return all;
}

}  // namespace

PowerTransfer::PowerTransfer(const Measurements& measurements, std::span<const PowerReport> reports)
    : reports_(reports) {
  std::vector<double> all;
  for (const auto& [model, values] : drives_of(measurements.limits)) {
    double sum = 0;
    for (const double value : values) sum += value;
    drives_.emplace_back(model, sum / static_cast<double>(values.size()));
    all.push_back(drives_.back().second);
  }
  std::ranges::sort(all);
  if (!all.empty()) neutral_ = all[all.size() / 2];

  std::set<std::string> gpus;
  for (const ClockSweep& sweep : measurements.clocks) gpus.insert(sweep.gpu);
  std::vector<ClockSeries> everywhere;
  for (const std::string& gpu : gpus) {
    std::vector<ClockSeries> here;
    for (const ClockSweep& sweep : measurements.clocks)
      if (sweep.gpu == gpu)
        for (ClockSeries& one : relative_series(sweep)) here.push_back(std::move(one));
    everywhere.insert(everywhere.end(), here.begin(), here.end());
    const PowerFit fit = fit_power(here, {.idle = Watts(5), .peak = Watts(100)});
    curves_.push_back({gpu, "Perseus's " + gpu + " sweep", fit.delta, fit.power});
  }
  const PowerPrior unit{.idle = Watts(5), .peak = Watts(100)};
  Curve any{.source = "a guess", .delta = unit.delta, .power = {Watts(30), Watts(10), Watts(60)}};
  if (!everywhere.empty()) {
    const PowerFit fit = fit_power(everywhere, unit);
    any = {"", "Perseus's sweeps of other GPUs", fit.delta, fit.power};
  }
  curves_.push_back(any);
}

double PowerTransfer::drive(const std::string& model) const {
  const auto found = std::ranges::find(drives_, model, &std::pair<std::string, double>::first);
  return found == drives_.end() ? neutral_ : found->second;
}

const PowerReport* PowerTransfer::measured_power(const std::string& model, const std::string& gpu,
                                                 double batch) const {
  const PowerReport* nearest = nullptr;
  const auto distance = [&](const PowerReport& r) { return std::abs(std::log(r.batch / batch)); };
  for (const PowerReport& report : reports_) {
    if (!report.by_limit || report.model != model || report.gpu != gpu) continue;
    if (!nearest || distance(report) < distance(*nearest)) nearest = &report;
  }
  return nearest;
}

const PowerTransfer::Curve& PowerTransfer::curve_for(const std::string& gpu) const {
  const auto found = std::ranges::find(curves_, gpu, &Curve::gpu);
  return found == curves_.end() ? curves_.back() : *found;
}

TransferredPower PowerTransfer::power_for(const std::string& model, const std::string& gpu,
                                          double local_batch) const {
  if (const PowerReport* report = measured_power(model, gpu, local_batch))
    return {.delta = report->fit.delta,
            .power = report->fit.power,
            .source = "power: " + report->source,
            .measured = report};
  const PowerPrior prior = prior_of(gpu);
  const Curve& curve = curve_for(gpu);
  const double part = drive(model);
  const auto percent = std::to_string(static_cast<int>(std::lround(100 * part)));
  return {.delta = curve.delta,
          .power = scaled(curve.power, prior.peak * part, prior),
          .source = "power: transferred from " + curve.source + ", top at " + percent +
                    " % of the GPU's peak"};
}

}  // namespace penstock
