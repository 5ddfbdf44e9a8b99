#include "serve/api/site_history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr Time kMarchNoon{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h};

std::string powers(const SiteHistory& history) {
  const std::vector<std::string> names{"east"};
  return history.as_json(names)["sites"][0]["power_w"].dump();
}

void add(SiteHistory& history, Time when, double watts) {
  const std::vector<SiteSample> sites{{.power = Watts(watts), .queued = 3}};
  history.add(when, sites);
}

TEST(SiteHistory, has_one_sample_a_minute_and_says_where_it_begins) {
  SiteHistory history;
  const std::vector<std::string> names{"east"};
  EXPECT_EQ(history.as_json(names)["from"], nullptr);
  for (int s = 0; s < 150; ++s) add(history, kMarchNoon + 30s + s * 1s, s);
  EXPECT_EQ(powers(history), "[0.0,30.0,90.0]");
  const auto page = history.as_json(names);
  EXPECT_EQ(page["from"], "2026-03-01T12:00:00Z");
  EXPECT_EQ(page["every_s"], 60);
  EXPECT_EQ(page["sites"][0]["queued"].dump(), "[3,3,3]");
}

TEST(SiteHistory, shows_gaps_as_gaps) {
  SiteHistory history;
  add(history, kMarchNoon, 1);
  add(history, kMarchNoon + 3min, 2);
  EXPECT_EQ(powers(history), "[1.0,null,null,2.0]");
}

TEST(SiteHistory, forgets_the_oldest_and_all_after_a_long_gap) {
  SiteHistory history({.every = 1min, .most = 3});
  for (int i = 0; i < 5; ++i) add(history, kMarchNoon + i * 1min, i);
  EXPECT_EQ(powers(history), "[2.0,3.0,4.0]");
  add(history, kMarchNoon + 24h, 7);
  EXPECT_EQ(powers(history), "[7.0]");
}

TEST(SiteHistory, forgets_what_is_later_when_the_clock_goes_back) {
  SiteHistory history;
  for (int i = 0; i < 4; ++i) add(history, kMarchNoon + i * 1min, i);
  add(history, kMarchNoon + 1min, 9);
  EXPECT_EQ(powers(history), "[0.0,1.0]");
  add(history, kMarchNoon - 24h, 5);
  EXPECT_EQ(powers(history), "[5.0]");
}

}  // namespace

namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(SiteAhead, tells_each_change_once_and_from_now_on) {
  const std::vector<SiteSignals> signals{
      {.price = Signal<Price>({{kMarchNoon - 1h, Price(0.2)}, {kMarchNoon + 2h, Price(0.1)}}),
       .carbon = Signal<CarbonIntensity>({{kMarchNoon, CarbonIntensity(300)}})}};
  const std::vector<SiteForecasts> rules(1);
  const Time now = kMarchNoon + 7min;
  const Outlook outlook(signals, rules, now);
  EXPECT_EQ(forecast_json(outlook, SiteId{0}, now).dump(),
            R"([{"from":"2026-03-01T12:07:00Z","price":0.2,"carbon_g_per_kwh":300.0},)"
            R"({"from":"2026-03-01T14:00:00Z","price":0.1,"carbon_g_per_kwh":300.0}])");
  EXPECT_EQ(forecast_end_json(outlook, SiteId{0}, now), nullptr);
}

TEST(SiteAhead, is_bounded_however_often_the_price_changes) {
  std::vector<Signal<Price>::Step> steps;
  for (int i = 0; i < 5000; ++i) steps.push_back({kMarchNoon + i * 1min, Price(0.1 + i * 0.001)});
  const std::vector<SiteSignals> signals{{.price = Signal<Price>(steps)}};
  const std::vector<SiteForecasts> rules(1);
  const Outlook outlook(signals, rules, kMarchNoon + 1min);
  EXPECT_EQ(forecast_json(outlook, SiteId{0}, kMarchNoon + 1min).size(), 193u);
}

TEST(SiteAhead, says_where_the_forecast_ends) {
  const std::vector<SiteSignals> signals(1);
  std::vector<SiteForecasts> rules(1);
  rules[0].price.horizon = 6h;
  rules[0].carbon.horizon = 9h;
  const Outlook outlook(signals, rules, kMarchNoon);
  EXPECT_EQ(forecast_end_json(outlook, SiteId{0}, kMarchNoon), "2026-03-01T18:00:00Z");
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

namespace {

TEST(StatusSince, lasts_until_it_changes) {
  StatusSince standing;
  EXPECT_FALSE(standing.since());
  standing.update(false, Time(Duration(1)));
  standing.update(false, Time(Duration(2)));
  EXPECT_EQ(standing.since(), Time(Duration(1)));
  standing.update(true, Time(Duration(3)));
  standing.update(true, Time(Duration(4)));
  EXPECT_EQ(standing.since(), Time(Duration(3)));
}

}  // namespace

}  // namespace penstock
