#include "fit/power_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>

#include "base/check.h"
#include "fit/least_squares.h"

namespace penstock {

// Curves

namespace {
constexpr double kLowestClock = 0.1;
}

double clock_for(double delta, double slowdown) {
  if (slowdown <= 1) return 1;
  return std::max((1 - delta) / (slowdown - delta), kLowestClock);
}

double clock_within(const PowerModel& power, Watts limit) {
  double low = kLowestClock;
  double high = 1;
  if (computing_draw(power, high) <= limit) return high;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (computing_draw(power, middle) <= limit ? low : high) = middle;
  }
  return low;
}

// Fits

namespace {

/// Where each parameter stands; watts as parts of the peak.
enum PowerTerm : std::uint8_t { at_delta, at_p0, at_p1, at_p3 };
constexpr int kPowerTerms = 4;
using PowerPoint = std::array<double, kPowerTerms>;

constexpr double kOutlier = 0.1;            // log errors above count less
constexpr double kKnownClockBelief = 0.01;  // what measurements at known clocks leave open
constexpr double kUnknownClockBelief =
    0.05;  // what they leave open where no clock was written down

/// Log errors of time, draw and energy. `scale` is the log of the time at the highest clock.
class ClockError {
 public:
  ClockError(double clock, double seconds, double draw)
      : clock_(clock), seconds_(seconds), draw_(draw) {}

  template <class T>
  bool operator()(const T* x, const T* scale, T* residual) const {
    return at(x, scale, T(clock_), residual);
  }
  template <class T>
  bool operator()(const T* x, const T* scale, const T* clock, T* residual) const {
    return at(x, scale, clock[0], residual);
  }

 private:
  template <class T>
  bool at(const T* x, const T* scale, const T& clock, T* residual) const {
    using std::log;
    const T slower = x[at_delta] + (1.0 - x[at_delta]) / clock;
    const T draw = x[at_p0] + x[at_p1] * clock + x[at_p3] * clock * clock * clock;
    residual[0] = scale[0] + log(slower / seconds_);
    residual[1] = log(draw / draw_);
    residual[2] = residual[0] + residual[1];
    return true;
  }
  double clock_;
  double seconds_;
  double draw_;
};

/// One search for δ and the draw.
class Search {
 public:
  Search(const PowerPrior& prior, Watts most) : prior_(prior), peak_(prior.peak.value()) {
    const double idle = std::max(prior.idle / prior.peak, 1e-3);
    const double top = std::max(most / prior.peak, idle);
    x_ = {prior.delta, std::max(idle, prior.fixed * top), 0.1 * top,
          std::max((1 - prior.fixed - 0.1) * top, 1e-3)};
    problem_.AddParameterBlock(x_.data(), kPowerTerms);
    bound(at_delta, 0, 0.95);
    bound(at_p0, idle, 2);
    bound(at_p1, 0, 2);
    bound(at_p3, 1e-6, 2);
  }

  void add(const ClockSeries& series) {
    double* const scale = add_scale(series.front().seconds);
    for (const auto& [clock, seconds, draw] : series)
      problem_.AddResidualBlock(new ceres::AutoDiffCostFunction<ClockError, 3, kPowerTerms, 1>(
                                    new ClockError(clock, seconds, draw.value() / peak_)),
                                new ceres::HuberLoss(kOutlier), x_.data(), scale);
  }

  void add(const LimitSeries& series) {
    const double quickest = std::ranges::min(series, {}, &LimitObservation::seconds).seconds;
    double* const scale = add_scale(quickest);
    for (const auto& [limit, seconds, draw] : series) {
      double& clock = clocks_.emplace_back(clock_for(prior_.delta, seconds / quickest));
      problem_.AddResidualBlock(new ceres::AutoDiffCostFunction<ClockError, 3, kPowerTerms, 1, 1>(
                                    new ClockError(1, seconds, draw.value() / peak_)),
                                new ceres::HuberLoss(kOutlier), x_.data(), scale, &clock);
      problem_.SetParameterLowerBound(&clock, 0, kLowestClock);
      problem_.SetParameterUpperBound(&clock, 0, 1);
    }
  }

  /// The start is also what is believed.
  void believe(double weight) {
    for (int i = 0; i < kPowerTerms; ++i)
      problem_.AddResidualBlock(new ceres::AutoDiffCostFunction<Belief, 1, kPowerTerms>(
                                    new Belief(i, x_[static_cast<std::size_t>(i)], weight)),
                                nullptr, x_.data());
  }

  PowerFit finish() {
    solve(problem_);
    PowerFit fit{
        .delta = x_[at_delta],
        .power = {Watts(x_[at_p0] * peak_), Watts(x_[at_p1] * peak_), Watts(x_[at_p3] * peak_),
                  Watts(prior_.sync * (x_[at_p1] + x_[at_p3]) * peak_)}};
    for (const double scale : scales_) fit.seconds.push_back(std::exp(scale));
    return fit;
  }

 private:
  void bound(int index, double least, double most) {
    problem_.SetParameterLowerBound(x_.data(), index, least);
    problem_.SetParameterUpperBound(x_.data(), index, most);
  }
  double* add_scale(double seconds) { return &scales_.emplace_back(std::log(seconds)); }

  PowerPrior prior_;
  double peak_;
  PowerPoint x_{};
  std::deque<double> scales_;  // these stay where they are while more are added
  std::deque<double> clocks_;
  ceres::Problem problem_;
};

template <class Series>
PowerFit fit_all(std::span<const Series> all, const PowerPrior& prior, double belief) {
  PENSTOCK_CHECK(!all.empty());
  Watts most{};
  for (const Series& series : all)
    for (const auto& seen : series) most = std::max(most, seen.draw);
  Search search(prior, most);
  search.believe(belief);
  for (const Series& series : all) search.add(series);
  PowerFit fit = search.finish();
  double count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& seen : all[i]) {
      const PowerError error = power_error(fit, fit.seconds[i], seen);
      fit.draw_error += std::abs(error.draw);
      fit.energy_error += std::abs(error.energy);
    }
    count += static_cast<double>(all[i].size());
  }
  fit.draw_error /= count;
  fit.energy_error /= count;
  return fit;
}

/// Errors at the clock whose time and draw are together nearest to what was measured.
PowerError nearest_on_curve(const PowerFit& fit, double seconds, const LimitObservation& seen) {
  PowerError nearest;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 1000; i >= 100; --i) {
    const PowerError error = power_error(fit, seconds, {i / 1000.0, seen.seconds, seen.draw});
    const double draw = std::log1p(error.draw);
    const double time = std::log1p(error.energy) - draw;
    if (draw * draw + time * time >= least) continue;
    least = draw * draw + time * time;
    nearest = error;
  }
  return nearest;
}

}  // namespace

PowerError power_error(const PowerFit& fit, double seconds, const ClockObservation& seen) {
  const double time = seconds * clock_slowdown(fit.delta, seen.clock) / seen.seconds;
  const double draw = computing_draw(fit.power, seen.clock) / seen.draw;
  return {.draw = draw - 1, .energy = time * draw - 1};
}

PowerError power_error(const PowerFit& fit, double seconds, const LimitObservation& seen) {
  const double as_slow = clock_for(fit.delta, seen.seconds / seconds);
  const double draw = computing_draw(fit.power, as_slow) / seen.draw;
  return {.draw = draw - 1, .energy = nearest_on_curve(fit, seconds, seen).energy};
}

ClockSeries held_clocks(ClockSeries series) {
  const Watts most = std::ranges::max(series, {}, &ClockObservation::draw).draw;
  double highest = 1;
  for (const ClockObservation& seen : series)
    if (seen.draw >= most * 0.97) highest = std::min(highest, seen.clock);
  for (ClockObservation& seen : series) seen.clock = std::min(1.0, seen.clock / highest);
  return series;
}

PowerFit fit_power(std::span<const ClockSeries> series, const PowerPrior& prior) {
  return fit_all(series, prior, kKnownClockBelief);
}

PowerFit fit_power(std::span<const LimitSeries> series, const PowerPrior& prior) {
  return fit_all(series, prior, kUnknownClockBelief);
}

}  // namespace penstock
