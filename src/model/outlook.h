#pragma once

#include <optional>
#include <span>

#include "base/check.h"
#include "base/ids.h"
#include "model/forecast.h"
#include "model/site_signals.h"

namespace penstock {

/// How policies learn about the future of one site.
struct SiteForecasts {
  ForecastRule<Price> price{};
  ForecastRule<CarbonIntensity> carbon{};
};

/// What a policy may know of prices, carbon and caps at one instant: the present,
/// and forecasts issued now. Refers to the signals and rules it was made of.
class Outlook {
 public:
  Outlook(std::span<const SiteSignals> sites, std::span<const SiteForecasts> rules, Time now)
      : sites_(sites), rules_(rules), now_(now) {
    PENSTOCK_CHECK(sites.size() == rules.size());
  }

  Forecast<Price> price(SiteId site) const {
    return {sites_[site.index].price, rules_[site.index].price, now_};
  }
  Forecast<CarbonIntensity> carbon(SiteId site) const {
    return {sites_[site.index].carbon, rules_[site.index].carbon, now_};
  }
  /// The same of one site alone, which is then the first.
  Outlook only(SiteId site) const {
    return {sites_.subspan(site.index, 1), rules_.subspan(site.index, 1), now_};
  }
  /// What the site draws for each watt of its machines, now.
  Ratio pue(SiteId site) const { return sites_[site.index].pue.at(now_); }
  /// The most the site may draw now; nothing if it has no cap.
  std::optional<Watts> cap(SiteId site) const {
    const auto& cap = sites_[site.index].cap;
    if (!cap) return std::nullopt;
    return cap->at(now_);
  }

 private:
  std::span<const SiteSignals> sites_;
  std::span<const SiteForecasts> rules_;
  Time now_;
};

}  // namespace penstock
