#pragma once

#include <optional>
#include <string>

#include "model/signal.h"

namespace penstock {

/// Whether a carbon series counts the mean of the grid or the next plant.
enum class CarbonKind { average, marginal };

/// What really happens at one site over time. Policies see forecasts of it.
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

}  // namespace penstock
