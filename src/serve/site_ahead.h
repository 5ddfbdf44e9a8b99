#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/time.h"
#include "base/units.h"
#include "io/scenario/scenario.h"
#include "model/forecast.h"

namespace penstock {

/// What is foretold at this moment of a site's price and carbon for the next two days, by quarters
/// of an hour: [{"from", "price", "carbon_g_per_kwh"}], each until the next. Those that change
/// nothing are left out.
nlohmann::ordered_json ahead_json(const Outlook& outlook, SiteId site, Time now);

/// Where the forecasts end and the last known day is taken to repeat; null if they do not within
/// these two days.
nlohmann::ordered_json foretold_until_json(const Outlook& outlook, SiteId site, Time now);

/// What a policy's energy budget comes to, on average over its window; nothing if it has none, or
/// one for the whole run.
std::optional<Watts> budget_power(const PolicyChoice& policy);

}  // namespace penstock
