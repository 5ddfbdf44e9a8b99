#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/signal.h"

namespace penstock {

/// Whether a carbon series counts the mean of the grid or the next plant.
enum class CarbonKind { average, marginal };

/// The true signals of one site. Policies see forecasts of them.
struct SiteSignals {
  Signal<Price> price = Signal<Price>::constant(Price(0));
  Signal<CarbonIntensity> carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(0));
  CarbonKind carbon_kind = CarbonKind::average;
  Signal<Ratio> pue = Signal<Ratio>::constant(Ratio(1));
  std::optional<Signal<Watts>> cap{};            ///< most the site may draw
  std::optional<Signal<Celsius>> temperature{};  ///< outside air
  std::optional<Time>
      known_until{};  ///< where the shortest series ends, if one may not be extended
};

/// Power usage effectiveness by the outside air: level while it is cool, then a straight line, then
/// level where cooling is at its limit. Our choice of a form; see docs/models.md.
struct CoolingCurve {
  double base = 1.2;  ///< up to `above`
  Celsius above{15};
  double slope = 0.01;  ///< for each degree more
  double most = 1.6;

  Ratio at(Celsius outside) const {
    const double warmer = std::max(outside.value() - above.value(), 0.0);
    return Ratio(std::clamp(base + slope * warmer, base, std::max(base, most)));
  }
};

/// Steps as those of the temperature, without those that change nothing.
inline Signal<Ratio> pue_of(const Signal<Celsius>& outside, const CoolingCurve& curve) {
  std::vector<Signal<Ratio>::Step> steps;
  for (const auto& step : outside.steps()) {
    const Ratio pue = curve.at(step.value);
    if (steps.empty() || steps.back().value != pue) steps.push_back({step.from, pue});
  }
  return Signal<Ratio>(std::move(steps));
}

}  // namespace penstock
