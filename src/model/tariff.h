#pragma once

#include <vector>

#include "model/bill.h"
#include "model/site_signals.h"

namespace penstock {

/// Energy, money and carbon that one watt of load has used since some instant, cooling included.
struct PerWatt {
  double joules = 0;
  double money = 0;
  double grams = 0;
  friend PerWatt operator-(const PerWatt& a, const PerWatt& b) {
    return {a.joules - b.joules, a.money - b.money, a.grams - b.grams};
  }
  friend PerWatt operator+(const PerWatt& a, const PerWatt& b) {
    return {a.joules + b.joules, a.money + b.money, a.grams + b.grams};
  }
};
inline Bill operator*(Watts draw, const PerWatt& per) {
  return {Joules(draw.value() * per.joules), Money(draw.value() * per.money),
          GramsCo2(draw.value() * per.grams)};
}

/// The running integrals of PUE, PUE × price and PUE × carbon of one site. A
/// constant load is billed exactly by the difference of two readings.
class Tariff {
 public:
  Tariff(const SiteSignals& signals, Time origin);

  /// From the origin to `t`. Cheapest when asked in order of time.
  PerWatt until(Time t);

 private:
  struct Step {
    Time from{};
    PerWatt sum{};         ///< from the origin to `from`
    PerWatt per_second{};  ///< from then on
  };
  std::vector<Step> steps_;
  std::size_t at_ = 0;
};

}  // namespace penstock
