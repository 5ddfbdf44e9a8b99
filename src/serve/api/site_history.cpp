#include "serve/api/site_history.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "policy/budget.h"

namespace penstock {

using nlohmann::ordered_json;

void SiteHistory::add(Time now, std::span<const SiteSample> sites) {
  const std::int64_t step = step_of(now);
  while (!steps_.empty() && last_ > step) {
    steps_.pop_back();
    --last_;
  }
  if (!steps_.empty() && last_ == step) return;
  const auto gap = steps_.empty() ? 0 : static_cast<std::size_t>(step - last_ - 1);
  if (gap >= length_.most)
    steps_.clear();
  else
    steps_.resize(steps_.size() + gap);
  steps_.emplace_back(std::vector<SiteSample>(sites.begin(), sites.end()));
  last_ = step;
  while (steps_.size() > length_.most) steps_.pop_front();
}

ordered_json SiteHistory::as_json(std::span<const std::string> names) const {
  const auto column = [&](std::size_t site, const auto& value_of) {
    ordered_json values = ordered_json::array();
    for (const Step& step : steps_)
      values.push_back(step ? ordered_json(value_of((*step)[site])) : ordered_json());
    return values;
  };
  ordered_json sites = ordered_json::array();
  for (std::size_t i = 0; i < names.size(); ++i)
    sites.push_back(
        {{"name", names[i]},
         {"power_w", column(i, [](const SiteSample& s) { return std::round(s.power.value()); })},
         {"busy_gpus", column(i, [](const SiteSample& s) { return s.busy_gpus; })},
         {"queued", column(i, [](const SiteSample& s) { return s.queued; })},
         {"running", column(i, [](const SiteSample& s) { return s.running; })}});
  const std::int64_t first = last_ + 1 - static_cast<std::int64_t>(steps_.size());
  return {{"every_s", seconds(length_.every)},
          {"from", steps_.empty() ? ordered_json()
                                  : ordered_json(format_time(Time(first * length_.every)))},
          {"sites", sites}};
}

namespace {

using nlohmann::ordered_json;

constexpr Duration kStep = std::chrono::minutes(15);
constexpr Duration kAhead = std::chrono::hours(48);

/// Without the last digits, which sums leave behind.
double rounded(double value) {
  constexpr double kDigits = 1e9;
  return std::round(value * kDigits) / kDigits;
}

/// The present value until a step ends, then the mean of each.
template <class Q>
double value_of(const Forecast<Q>& forecast, Time now, Time from, Time to) {
  return rounded((from == now ? forecast.at(now) : forecast.mean(from, to)).value());
}

}  // namespace

ordered_json forecast_json(const Outlook& outlook, SiteId site, Time now) {
  const auto price = outlook.price(site);
  const auto carbon = outlook.carbon(site);
  ordered_json steps = ordered_json::array();
  double last_price = 0;
  double last_carbon = 0;
  for (Time from = now; from < now + kAhead;) {
    const Time to = Time((from.time_since_epoch() / kStep + 1) * kStep);
    const double cost = value_of(price, now, from, to);
    const double grams = value_of(carbon, now, from, to);
    if (steps.empty() || cost != last_price || grams != last_carbon)
      steps.push_back({{"from", format_time(from)}, {"price", cost}, {"carbon_g_per_kwh", grams}});
    last_price = cost;
    last_carbon = grams;
    from = to;
  }
  return steps;
}

ordered_json forecast_end_json(const Outlook& outlook, SiteId site, Time now) {
  const Time end = std::min(outlook.price(site).known_until().value_or(Time::max()),
                            outlook.carbon(site).known_until().value_or(Time::max()));
  return end < now + kAhead ? ordered_json(format_time(end)) : ordered_json();
}

std::optional<Watts> budget_power(const PolicyChoice& policy) {
  const auto found = policy.options.find("energy_budget");
  if (found == policy.options.end()) return std::nullopt;
  const auto budget = parse_budget(found->second, std::chrono::hours(1), std::nullopt);
  if (!budget || !budget->window) return std::nullopt;
  return budget->amount / *budget->window;
}

}  // namespace penstock
