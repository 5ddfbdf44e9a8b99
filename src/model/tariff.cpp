#include "model/tariff.h"

#include <algorithm>

namespace penstock {
namespace {

PerWatt advance(const PerWatt& sum, const PerWatt& rate, Duration t) {
  const double s = seconds(t);
  return {sum.joules + rate.joules * s, sum.money + rate.money * s, sum.grams + rate.grams * s};
}

template <class Q>
void add_times(std::vector<Time>& times, const Signal<Q>& signal, Time origin) {
  for (const auto& step : signal.steps())
    if (step.from > origin) times.push_back(step.from);
}

}  // namespace

Tariff::Tariff(const SiteSignals& signals, Time origin) {
  std::vector<Time> times{origin};
  add_times(times, signals.price, origin);
  add_times(times, signals.carbon, origin);
  add_times(times, signals.pue, origin);
  std::ranges::sort(times);
  const auto [first, last] = std::ranges::unique(times);
  times.erase(first, last);

  PerWatt sum;
  for (const Time t : times) {
    if (!steps_.empty())
      sum = advance(steps_.back().sum, steps_.back().per_second, t - steps_.back().from);
    const double pue = signals.pue.at(t).value();
    steps_.push_back({.from = t,
                      .sum = sum,
                      .per_second = {pue, pue * signals.price.at(t).value() / kJoulesPerKwh,
                                     pue * signals.carbon.at(t).value() / kJoulesPerKwh}});
  }
}

PerWatt Tariff::until(Time t) {
  if (t < steps_[at_].from) at_ = 0;
  while (at_ + 1 < steps_.size() && steps_[at_ + 1].from <= t) ++at_;
  return advance(steps_[at_].sum, steps_[at_].per_second, t - steps_[at_].from);
}

}  // namespace penstock
