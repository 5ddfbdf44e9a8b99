#include "serve/site_ahead.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr Time kNoon{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h};

TEST(SiteAhead, tells_each_change_once_and_from_now_on) {
  const std::vector<SiteSignals> signals{
      {.price = Signal<Price>({{kNoon - 1h, Price(0.2)}, {kNoon + 2h, Price(0.1)}}),
       .carbon = Signal<CarbonIntensity>({{kNoon, CarbonIntensity(300)}})}};
  const std::vector<SiteForecasts> rules(1);
  const Time now = kNoon + 7min;
  const Outlook outlook(signals, rules, now);
  EXPECT_EQ(ahead_json(outlook, SiteId{0}, now).dump(),
            R"([{"from":"2026-03-01T12:07:00Z","price":0.2,"carbon_g_per_kwh":300.0},)"
            R"({"from":"2026-03-01T14:00:00Z","price":0.1,"carbon_g_per_kwh":300.0}])");
  EXPECT_EQ(foretold_until_json(outlook, SiteId{0}, now), nullptr);
}

TEST(SiteAhead, is_bounded_however_often_the_price_changes) {
  std::vector<Signal<Price>::Step> steps;
  for (int i = 0; i < 5000; ++i) steps.push_back({kNoon + i * 1min, Price(0.1 + i * 0.001)});
  const std::vector<SiteSignals> signals{{.price = Signal<Price>(steps)}};
  const std::vector<SiteForecasts> rules(1);
  const Outlook outlook(signals, rules, kNoon + 1min);
  EXPECT_EQ(ahead_json(outlook, SiteId{0}, kNoon + 1min).size(), 193u);
}

TEST(SiteAhead, says_where_the_forecast_ends) {
  const std::vector<SiteSignals> signals(1);
  std::vector<SiteForecasts> rules(1);
  rules[0].price.horizon = 6h;
  rules[0].carbon.horizon = 9h;
  const Outlook outlook(signals, rules, kNoon);
  EXPECT_EQ(foretold_until_json(outlook, SiteId{0}, kNoon), "2026-03-01T18:00:00Z");
}

TEST(SiteAhead, takes_budgets_by_time_for_power_and_no_others) {
  const auto watts = [](const char* text) {
    const auto power = budget_power({"powerflow", {{"energy_budget", text}}});
    return power ? power->value() : -1;
  };
  EXPECT_DOUBLE_EQ(watts("40 kWh/h"), 40'000);
  EXPECT_DOUBLE_EQ(watts("48 kWh/d"), 2'000);
  EXPECT_EQ(watts("900 kWh"), -1);
  EXPECT_EQ(watts("none"), -1);
  EXPECT_FALSE(budget_power({"fifo", {}}));
}

}  // namespace
}  // namespace penstock
