#pragma once

#include <vector>

#include "base/two_part_sum.h"
#include "model/bill.h"
#include "model/site_signals.h"

namespace penstock {

/// Energy, money and carbon that one watt of load uses over a span of time, cooling included.
struct PerWatt {
  double joules = 0;
  double money = 0;
  double grams = 0;
  friend PerWatt operator+(const PerWatt& a, const PerWatt& b) {
    return {a.joules + b.joules, a.money + b.money, a.grams + b.grams};
  }
  friend PerWatt operator*(const PerWatt& a, double k) {
    return {a.joules * k, a.money * k, a.grams * k};
  }
  friend bool operator==(const PerWatt&, const PerWatt&) = default;
};
inline Bill operator*(Watts draw, const PerWatt& per) {
  return {Joules(draw.value() * per.joules), Money(draw.value() * per.money),
          GramsCo2(draw.value() * per.grams)};
}

/// The running integrals of PUE, PUE × price and PUE × carbon of one site. A constant load is
/// billed exactly by what one watt used between two readings, however short the time between them
/// and however long ago the origin.
class Tariff {
 public:
  /// An instant, and the step of the tariff that holds then.
  struct Reading {
    std::size_t step = 0;
    Time at{};
  };

  Tariff(const SiteSignals& signals, Time origin);

  /// Cheapest when asked in order of time. Before the origin, the first step holds.
  Reading read(Time t);
  /// What one watt uses from one reading to another; less than nothing if that is the earlier one.
  PerWatt between(const Reading& from, const Reading& to) const;
  /// From the origin to `t`.
  PerWatt until(Time t) { return between({.step = 0, .at = steps_.front().from}, read(t)); }

  /// Replaces the signals from `now` on, which no reading may have passed. Earlier readings stay
  /// valid.
  void follow(const SiteSignals& signals, Time now);

 private:
  struct Sums {
    TwoPartSum joules;
    TwoPartSum money;
    TwoPartSum grams;
  };
  struct Step {
    Time from{};
    Sums sums{};           ///< from the origin to `from`
    PerWatt per_second{};  ///< from then on
  };
  /// The next step; `from` is not before that of the last one.
  void add_step(Time from, const PerWatt& per_second);
  void add_steps(const SiteSignals& signals, Time from);

  std::vector<Step> steps_;
  std::size_t at_ = 0;
};

}  // namespace penstock
