#include "model/tariff.h"

#include <algorithm>

namespace penstock {
namespace {

template <class Q>
void add_times(std::vector<Time>& times, const Signal<Q>& signal, Time origin) {
  for (const auto& step : signal.steps())
    if (step.from > origin) times.push_back(step.from);
}

/// The origin, and every later instant at which a signal changes.
std::vector<Time> times_of(const SiteSignals& signals, Time origin) {
  std::vector<Time> times{origin};
  add_times(times, signals.price, origin);
  add_times(times, signals.carbon, origin);
  add_times(times, signals.pue, origin);
  std::ranges::sort(times);
  const auto [first, last] = std::ranges::unique(times);
  times.erase(first, last);
  return times;
}

PerWatt per_second_at(const SiteSignals& signals, Time t) {
  const double pue = signals.pue.at(t).value();
  return {pue, pue * signals.price.at(t).value() / kJoulesPerKwh,
          pue * signals.carbon.at(t).value() / kJoulesPerKwh};
}

}  // namespace

Tariff::Tariff(const SiteSignals& signals, Time origin) {
  add_steps(signals, origin);
}

void Tariff::add_steps(const SiteSignals& signals, Time from) {
  for (const Time t : times_of(signals, from)) add_step(t, per_second_at(signals, t));
}

void Tariff::add_step(Time from, const PerWatt& per_second) {
  Step next{.from = from, .per_second = per_second};
  if (!steps_.empty()) {
    const Step& last = steps_.back();
    const PerWatt used = last.per_second * seconds(from - last.from);
    next.sums = last.sums;
    next.sums.joules += used.joules;
    next.sums.money += used.money;
    next.sums.grams += used.grams;
  }
  steps_.push_back(next);
}

void Tariff::follow(const SiteSignals& signals, Time now) {
  const std::size_t held = read(now).step;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(held) + 1, steps_.end());
  add_steps(signals, now);
  // A step that goes on as before is none: the same signals, read again and again, take no memory.
  if (steps_[held].per_second == steps_[held + 1].per_second)
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(held) + 1);
}

Tariff::Reading Tariff::read(Time t) {
  if (t < steps_[at_].from) at_ = 0;
  while (at_ + 1 < steps_.size() && steps_[at_ + 1].from <= t) ++at_;
  return {.step = at_, .at = t};
}

PerWatt Tariff::between(const Reading& from, const Reading& to) const {
  if (to.step < from.step) return between(to, from) * -1;
  const Step& last = steps_[to.step];
  if (from.step == to.step) return last.per_second * seconds(to.at - from.at);
  const Step& next = steps_[from.step + 1];
  const PerWatt whole{last.sums.joules - next.sums.joules, last.sums.money - next.sums.money,
                      last.sums.grams - next.sums.grams};
  return steps_[from.step].per_second * seconds(next.from - from.at) + whole +
         last.per_second * seconds(to.at - last.from);
}

}  // namespace penstock
