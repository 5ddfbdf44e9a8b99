#include <gtest/gtest.h>

#include "io/scenario/scenario.h"
#include "model/forecast.h"

namespace penstock {
namespace {

using std::chrono::hours;

const Time kStart{std::chrono::sys_days(std::chrono::year(2021) / 2 / 15)};
const std::string kNodes = "nodes = [{ gpus = 8, gpu = 'v100' }]\n";

/// A site of which `lines` tell from line 4 on, and `more` behind it.
Result<Scenario> with(const std::string& lines, const std::string& more = "") {
  return parse_scenario(
      "[[site]]\nname = 'texas'\n" + kNodes + lines + "[workload.generate]\njobs = 5\n" + more,
      "p.toml", PENSTOCK_ROOT "/data");
}

std::string trouble(const std::string& lines, const std::string& more = "") {
  const auto scenario = with(lines, more);
  return scenario ? "no error" : scenario.error().message;
}

const std::string kOutage = "outage = [{ from = '2021-02-15T06:00Z', until = '2021-02-16' }]\n";

TEST(Outages, are_listed_by_site) {
  const auto scenario = with(kOutage);
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->outages.size(), 1u);
  EXPECT_EQ(scenario->outages[0].site, SiteId{0});
  EXPECT_EQ(scenario->outages[0].from, kStart + hours(6));
  EXPECT_EQ(scenario->outages[0].until, kStart + hours(24));
  EXPECT_FALSE(scenario->failures);
  EXPECT_EQ(scenario->outage_checkpoint, Duration::zero());
}

TEST(Outages, may_lose_work_although_nodes_do_not_break) {
  const auto scenario = with(kOutage, "[failures]\ncheckpoint = '1 h'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_FALSE(scenario->failures);
  EXPECT_EQ(scenario->outage_checkpoint, hours(1));
  EXPECT_EQ(trouble("", "[failures]\ncheckpoint = '1 h'\n"),
            "p.toml:6: failures.mtbf: is missing\np.toml:6: failures.mttr: is missing");
}

TEST(Outages, end_after_they_begin) {
  EXPECT_EQ(trouble("outage = [{ from = '2021-02-15', until = '2021-02-15' }]\n"),
            "p.toml:4: site.outage.until: is not after site.outage.from");
  EXPECT_EQ(trouble("outage = [{ from = 'soon', untl = '2021-02-15' }]\n"),
            "p.toml:4: site.outage.from: 'soon' is not a time such as \"2022-03-01T00:00Z\"\n"
            "p.toml:4: site.outage.until: is missing\n"
            "p.toml:4: site.outage.untl: unknown key; did you mean 'until'?");
  EXPECT_EQ(trouble("outage = 3\n"),
            "p.toml:4: site.outage: must be tables, written [[site.outage]]");
}

TEST(SiteClock, is_an_offset_and_a_rule_of_summer_time) {
  EXPECT_EQ(trouble("utc_offset = -6\ndst = 'us'\n"), "no error");
  EXPECT_EQ(trouble("utc_offset = 20\n"), "p.toml:4: site.utc_offset: must be at most 14, not 20");
  EXPECT_EQ(trouble("utc_offset = 1\ndst = 'EU'\n"),
            "p.toml:5: site.dst: there is no 'EU'; possible: none eu us");
  EXPECT_EQ(trouble("dst = 'eu'\n"),
            "p.toml:4: site.dst: needs utc_offset, the hours ahead of UTC in winter");
}

TEST(DayAhead, knows_tomorrow_from_the_hour_of_publication_by_the_clock_of_the_site) {
  const auto scenario = with(
      "utc_offset = 1\ndst = 'eu'\n"
      "price = { file = 'price-de.csv.gz', column = 'price_eur_per_mwh', unit = 'EUR/MWh' }\n"
      "forecast = { price = { kind = 'day-ahead', published = '13:00' } }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto known = [&](Time now) {
    return Outlook(scenario->signals, scenario->forecasts, now).price(SiteId{0}).known_until();
  };
  EXPECT_EQ(known(kStart + hours(11)), kStart + hours(23));
  EXPECT_EQ(known(kStart + hours(12)), kStart + hours(47));
  EXPECT_TRUE(std::holds_alternative<PersistenceForecast>(scenario->forecasts[0].carbon.kind));
}

TEST(DayAhead, needs_a_clock_a_time_of_day_and_a_price) {
  const std::string clock = "utc_offset = 1\n";
  EXPECT_EQ(trouble("forecast = { price = { kind = 'day-ahead', published = '13:00' } }\n"),
            "p.toml:4: site.forecast.price.kind: \"day-ahead\" goes by the days of the site's "
            "clock: the site needs utc_offset, and dst where clocks are put forward in summer");
  EXPECT_EQ(trouble(clock + "forecast = { price = { kind = 'day-ahead' } }\n"),
            "p.toml:5: site.forecast.price.published: is missing; the time of day at which prices "
            "of the next day are out, such as \"13:00\"");
  for (const char* wrong : {"noon", "24:00", "13:00Z", "1:00", "13:60"})
    EXPECT_EQ(trouble(clock + "forecast = { price = { kind = 'day-ahead', published = '" + wrong +
                      "' } }\n"),
              std::string("p.toml:5: site.forecast.price.published: '") + wrong +
                  "' is no time of day, such as \"13:00\"");
  EXPECT_EQ(trouble(clock + "forecast = { kind = 'day-ahead', published = '13:00' }\n"),
            "p.toml:5: site.forecast.kind: no market settles carbon: write price = { kind = "
            "\"day-ahead\", … }");
  EXPECT_EQ(
      trouble(clock + "forecast = { carbon = { kind = 'day-ahead', published = '13:00' } }\n"),
      "p.toml:5: site.forecast.carbon.kind: \"day-ahead\" is for prices: no market settles "
      "carbon");
  EXPECT_EQ(trouble("forecast = { kind = 'persistence', published = '13:00' }\n"),
            "p.toml:4: site.forecast.published: belongs to kind = \"day-ahead\"");
}

TEST(Region, is_one_of_four) {
  EXPECT_EQ(trouble("region = 'EU'\n"), "no error");
  EXPECT_EQ(trouble("region = 'Europe'\n"),
            "p.toml:4: site.region: there is no 'Europe'; possible: US EU AP SA");
}

TEST(Pue, follows_the_temperature_if_told_so) {
  const auto scenario = with(
      "temperature = { fixed = '30 C' }\n"
      "pue = { from_temperature = { base = 1.1, above = '20 C', slope = 0.02, most = 1.5 } }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_NEAR(scenario->signals[0].pue.at(kStart).value(), 1.3, 1e-12);
  const auto usual = with("temperature = { fixed = '5 C' }\npue = { from_temperature = {} }\n");
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(usual->signals[0].pue.at(kStart), Ratio(1.2));
}

TEST(Pue, needs_the_temperature_that_it_follows) {
  EXPECT_EQ(trouble("pue = { from_temperature = { base = 0.9, slpe = 1 } }\n"),
            "p.toml:4: site.pue.from_temperature.base: must be at least 1, not 0.9\n"
            "p.toml:4: site.pue.from_temperature.slpe: unknown key; did you mean 'slope'?\n"
            "p.toml:4: site.pue.from_temperature: needs site.temperature, from which it follows");
  EXPECT_EQ(trouble("temperature = { fixed = '5 C' }\npue = { from_temperature = true }\n"),
            "p.toml:5: site.pue.from_temperature: must be a table such as { base = 1.2, above = "
            "\"15 C\" }, not true or false");
}

TEST(Exchange, converts_prices_when_they_are_read) {
  const std::string price = "price = { fixed = '0.10 USD/kWh' }\n";
  const auto scenario = with(
      price, "[costs]\ncurrency = 'EUR'\nexchange = { USD = 0.8 }\ncarbon_price = '50 USD/t'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_NEAR(scenario->signals[0].price.at(kStart).value(), 0.08, 1e-12);
  EXPECT_NEAR(scenario->carbon_price, 40e-6, 1e-18);
  EXPECT_EQ(scenario->notes.back(), "a USD counts as 0.8 EUR, as costs.exchange says");
}

TEST(Exchange, needs_a_currency_and_rates_that_can_be) {
  EXPECT_EQ(trouble("", "[costs]\nexchange = { USD = 0.8 }\n"),
            "p.toml:7: costs.exchange: needs costs.currency, which says what it is worth in");
  EXPECT_EQ(trouble("", "[costs]\ncurrency = 'EUR'\nexchange = { EUR = 1, USD = 0 }\n"),
            "p.toml:8: costs.exchange.EUR: is costs.currency itself\n"
            "p.toml:8: costs.exchange.USD: must be at least 1e-06, not 0");
}

TEST(Coverage, says_of_which_site_a_series_is) {
  const std::string price =
      "price = { file = 'price-nl.csv.gz', column = 'price_eur_per_mwh', unit = 'EUR/MWh' }\n";
  const auto scenario = with(price, "[[site]]\nname = 'oslo'\n" + kNodes);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto covered = check_coverage(*scenario, kStart - hours(24 * 3650), kStart);
  ASSERT_FALSE(covered);
  EXPECT_TRUE(covered.error().message.starts_with("p.toml:4: site.price of 'texas': "))
      << covered.error().message;
}

}  // namespace
}  // namespace penstock
