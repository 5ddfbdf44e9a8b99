#pragma once

#include <span>

#include "base/ids.h"
#include "model/forecast.h"
#include "model/site_signals.h"

namespace penstock {

/// What a policy may know of prices, carbon and caps at one instant: the present,
/// and forecasts issued now.
class Outlook {
 public:
  Outlook(std::span<const SiteSignals> sites, Time now) : sites_(sites), now_(now) {}

  Forecast<Price> price(SiteId site) const { return {sites_[site.index].price, now_}; }
  Forecast<CarbonIntensity> carbon(SiteId site) const { return {sites_[site.index].carbon, now_}; }

 private:
  std::span<const SiteSignals> sites_;
  Time now_;
};

}  // namespace penstock
