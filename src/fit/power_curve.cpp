#include "fit/power_curve.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {
constexpr double kLowestClock = 0.1;
}

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

double best_clock(double delta, const PowerModel& power, double lowest) {
  const auto energy = [&](double clock) {
    return computing_draw(power, clock) * slowdown(delta, clock);
  };
  double best = 1;
  for (int i = 1000; i >= static_cast<int>(std::ceil(lowest * 1000)); --i)
    if (energy(i / 1000.0) < energy(best)) best = i / 1000.0;
  return best;
}

}  // namespace penstock
