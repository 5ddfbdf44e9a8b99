#include "fit/power_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "base/check.h"
#include "fit/solve.h"

namespace penstock {
namespace {

/// Where each parameter stands; watts as parts of the peak.
enum At { delta, p0, p1, p3, kCount };
using Point = std::array<double, kCount>;

constexpr double kOutlier = 0.1;       // log errors above count less
constexpr double kWeakBelief = 0.01;   // what the measurements leave open
constexpr double kDeltaBelief = 0.05;  // holds δ where no clock was written down
constexpr double kLowestClock = 0.1;

template <class T>
T slowdown_at(const T* x, const T& clock) {
  return x[delta] + (1.0 - x[delta]) / clock;
}

template <class T>
T draw_at(const T* x, const T& clock) {
  return x[p0] + x[p1] * clock + x[p3] * clock * clock * clock;
}

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
    residual[0] = scale[0] + log(slowdown_at(x, clock) / seconds_);
    residual[1] = log(draw_at(x, clock) / draw_);
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
  explicit Search(const PowerPrior& prior) : peak_(prior.peak.value()), prior_(prior) {
    x_ = {prior.delta, std::max(prior.idle / prior.peak, 0.2), 0.2, 0.4};
    problem_.AddParameterBlock(x_.data(), kCount);
    bound(delta, 0, 0.95);
    bound(p0, std::max(prior.idle / prior.peak, 1e-3), 2);
    bound(p1, 0, 2);
    bound(p3, 1e-3, 2);
  }

  void add(const ClockSeries& series) {
    double* const scale = add_scale(series.front().seconds);
    for (const auto& [clock, seconds, draw] : series)
      problem_.AddResidualBlock(new ceres::AutoDiffCostFunction<ClockError, 3, kCount, 1>(
                                    new ClockError(clock, seconds, draw.value() / peak_)),
                                new ceres::HuberLoss(kOutlier), x_.data(), scale);
  }

  void add(const LimitSeries& series) {
    const double quickest = std::ranges::min(series, {}, &LimitObservation::seconds).seconds;
    double* const scale = add_scale(quickest);
    for (const auto& [limit, seconds, draw] : series) {
      clocks_.push_back(clock_for(prior_.delta, seconds / quickest));
      problem_.AddResidualBlock(new ceres::AutoDiffCostFunction<ClockError, 3, kCount, 1, 1>(
                                    new ClockError(1, seconds, draw.value() / peak_)),
                                new ceres::HuberLoss(kOutlier), x_.data(), scale, &clocks_.back());
      problem_.SetParameterLowerBound(&clocks_.back(), 0, kLowestClock);
      problem_.SetParameterUpperBound(&clocks_.back(), 0, 1);
    }
  }

  void believe(int index, double value, double weight) {
    problem_.AddResidualBlock(
        new ceres::AutoDiffCostFunction<Belief, 1, kCount>(new Belief(index, value, weight)),
        nullptr, x_.data());
  }

  PowerFit finish() {
    solve(problem_);
    const double rising = x_[p1] + x_[p3];
    return {.delta = x_[delta],
            .power = {Watts(x_[p0] * peak_), Watts(x_[p1] * peak_), Watts(x_[p3] * peak_),
                      Watts(prior_.sync * rising * peak_)}};
  }

 private:
  void bound(int index, double least, double most) {
    problem_.SetParameterLowerBound(x_.data(), index, least);
    problem_.SetParameterUpperBound(x_.data(), index, most);
  }
  double* add_scale(double seconds) {
    scales_.push_back(std::log(seconds));
    return &scales_.back();
  }

  double peak_;
  PowerPrior prior_;
  Point x_{};
  std::deque<double> scales_;  // stay where they are while more are added
  std::deque<double> clocks_;
  ceres::Problem problem_;
};

/// Mean errors, each series against its own best time at the highest clock.
void measure(PowerFit& fit, std::span<const ClockSeries> series) {
  double count = 0;
  for (const ClockSeries& one : series) {
    double log_scale = 0;
    for (const ClockObservation& seen : one)
      log_scale += std::log(seen.seconds / slowdown(fit.delta, seen.clock));
    const double scale = std::exp(log_scale / static_cast<double>(one.size()));
    for (const ClockObservation& seen : one) {
      const double time = scale * slowdown(fit.delta, seen.clock) / seen.seconds;
      const double draw = computing_draw(fit.power, seen.clock) / seen.draw;
      fit.time_error += std::abs(time - 1);
      fit.draw_error += std::abs(draw - 1);
      fit.energy_error += std::abs(time * draw - 1);
      ++count;
    }
  }
  fit.time_error /= count;
  fit.draw_error /= count;
  fit.energy_error /= count;
}

}  // namespace

double slowdown(double delta, double clock) {
  return delta + (1 - delta) / clock;
}

double clock_for(double delta, double slowdown) {
  if (slowdown <= 1) return 1;
  return std::max((1 - delta) / (slowdown - delta), kLowestClock);
}

Watts computing_draw(const PowerModel& power, double clock) {
  return power.p0 + power.p1 * clock + power.p3 * (clock * clock * clock);
}

double best_clock(double delta, const PowerModel& power, double lowest) {
  double best = 1;
  for (int i = 1000; i >= static_cast<int>(std::ceil(lowest * 1000)); --i) {
    const auto energy = [&](double f) { return computing_draw(power, f) * slowdown(delta, f); };
    if (energy(i / 1000.0) < energy(best)) best = i / 1000.0;
  }
  return best;
}

PowerFit fit_power(std::span<const ClockSeries> series, const PowerPrior& prior) {
  PENSTOCK_CHECK(!series.empty());
  Search search(prior);
  for (const ClockSeries& one : series) search.add(one);
  search.believe(delta, prior.delta, kWeakBelief);
  search.believe(p0, prior.idle / prior.peak, kWeakBelief);
  PowerFit fit = search.finish();
  measure(fit, series);
  return fit;
}

}  // namespace penstock
