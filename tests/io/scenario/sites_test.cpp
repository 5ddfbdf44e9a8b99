#include <gtest/gtest.h>

#include "io/scenario/data_folder.h"
#include "io/scenario/scenario.h"
#include "model/forecast.h"

namespace penstock {
namespace {

using std::chrono::hours;

// What nodes cost by used GPUs: `power_by_used` and `rent_by_used` of [[site.nodes]].

/// One site of nodes with two GPUs; `lines` of [[site.nodes]] begin with line 8.
Result<Scenario> with_nodes(const std::string& lines, const std::string& rest = "") {
  return parse_scenario(
      "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n"
      "[[site]]\nname = 'a'\n[[site.nodes]]\ngpu = 'k80'\n" +
          lines + rest,
      "t.toml", kData);
}

std::string node_tables_error(const std::string& lines, const std::string& rest = "") {
  const auto scenario = with_nodes(lines, rest);
  return scenario ? "no error" : scenario.error().message;
}

TEST(NodeTables, are_read_for_every_number_of_used_gpus) {
  const auto scenario = with_nodes(
      "gpus = 2\ncount = 3\npower_by_used = ['10 W', '0.4 kW', '470 W']\n"
      "rent_by_used = ['0 USD/h', '0.72 USD/h', '0.72 USD/h']\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Cluster& cluster = scenario->cluster;
  ASSERT_EQ(cluster.node_tables.size(), 1u) << "like nodes share their tables";
  for (const Node& node : cluster.nodes) {
    ASSERT_NE(cluster.tables(node), nullptr);
    EXPECT_EQ(cluster.tables(node)->power, (std::vector{Watts(10), Watts(400), Watts(470)}));
    EXPECT_EQ(cluster.tables(node)->rent.front(), MoneyRate(0));
    EXPECT_DOUBLE_EQ(cluster.tables(node)->rent.back().value(), 0.0002);
    EXPECT_EQ(node.base, Watts(0)) << "it is in the table";
    EXPECT_EQ(node.base_sleep, Watts(10)) << "no more than unused";
  }
  EXPECT_TRUE(cluster.rents());
  EXPECT_EQ(scenario->currency, "USD");
}

TEST(NodeTables, may_be_of_rent_alone_or_stand_beside_a_power_asleep) {
  const auto rented =
      with_nodes("gpus = 1\nbase_power = '90 W'\nrent_by_used = ['0 EUR/h', '1 EUR/h']\n");
  ASSERT_TRUE(rented) << rented.error().message;
  EXPECT_EQ(rented->cluster.nodes[0].base, Watts(90));
  EXPECT_FALSE(rented->cluster.has_power_table(rented->cluster.nodes[0]));
  const auto asleep =
      with_nodes("gpus = 1\nsleep_power = '7 W'\npower_by_used = ['0 W', '530 W']\n");
  ASSERT_TRUE(asleep) << asleep.error().message;
  EXPECT_EQ(asleep->cluster.nodes[0].base_sleep, Watts(7));
  EXPECT_FALSE(asleep->cluster.rents());
}

TEST(NodeTables, are_absent_unless_given) {
  const auto scenario = with_nodes("gpus = 2\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_TRUE(scenario->cluster.node_tables.empty());
  EXPECT_EQ(scenario->cluster.tables(scenario->cluster.nodes[0]), nullptr);
}

TEST(NodeTables, have_an_entry_more_than_gpus) {
  EXPECT_EQ(node_tables_error("gpus = 2\npower_by_used = ['1 W', '2 W']\n"
                              "rent_by_used = ['0 EUR/h', '1 EUR/h', '2 EUR/h', '3 EUR/h']\n"),
            "t.toml:9: site.nodes.power_by_used: has 2 entries, but a node of 2 GPUs needs 3: for "
            "0 to 2 used ones\n"
            "t.toml:10: site.nodes.rent_by_used: has 4 entries, but a node of 2 GPUs needs 3: for "
            "0 to 2 used ones");
  EXPECT_EQ(node_tables_error("gpus = 0\npower_by_used = ['1 W', '2 W']\n"),
            "t.toml:8: site.nodes.gpus: must be at least 1, not 0");
}

TEST(NodeTables, never_fall) {
  EXPECT_EQ(node_tables_error("gpus = 2\npower_by_used = ['0 W', '0.53 kW', '500 W']\n"),
            "t.toml:9: site.nodes.power_by_used: falls from 0.53 kW of 1 used GPUs to 500 W of 2; "
            "one more used GPU can not make a node cheaper");
}

TEST(NodeTables, hold_nothing_negative_and_nothing_without_its_unit) {
  EXPECT_EQ(node_tables_error(
                "gpus = 1\npower_by_used = ['-3 W', '2 W']\nrent_by_used = ['0 EUR/h', 2]\n"),
            "t.toml:9: site.nodes.power_by_used: of 0 used GPUs: must be at least 0, not -3 W\n"
            "t.toml:10: site.nodes.rent_by_used: of 1 used GPUs: '2' has no unit; a rent can be "
            "in: EUR/h USD/h (or another currency)");
  EXPECT_EQ(node_tables_error("gpus = 1\npower_by_used = ['0 W', ['2 W']]\n"),
            "t.toml:9: site.nodes.power_by_used: of 1 used GPUs: '' does not begin with a finite "
            "number");
  EXPECT_EQ(node_tables_error("gpus = 1\npower_by_used = '2 W'\n"),
            "t.toml:9: site.nodes.power_by_used: must be a list such as [\"0 W\", \"530 W\", "
            "\"700 W\"]");
}

TEST(NodeTables, of_power_exclude_a_power_of_the_node_alone) {
  EXPECT_EQ(node_tables_error("gpus = 1\npower_by_used = ['0 W', '530 W']\nbase_power = '90 W'\n"),
            "t.toml:10: site.nodes.base_power: cannot stand beside power_by_used, which says what "
            "the whole node draws; possible: only one of them");
}

TEST(NodeTables, of_rent_are_in_the_currency_of_the_scenario) {
  const std::string rents = "gpus = 1\nrent_by_used = ['0 USD/h', '1 USD/h']\n";
  EXPECT_EQ(node_tables_error(rents, "[costs]\ncurrency = 'USD'\n"), "no error");
  EXPECT_EQ(
      node_tables_error(rents, "[costs]\ncurrency = 'EUR'\n"),
      "t.toml:9: site.nodes.rent_by_used: is in USD, but costs.currency says EUR; currencies "
      "are never mixed: convert the series first, or say in costs.exchange what a USD is worth");
  EXPECT_EQ(node_tables_error("gpus = 1\nrent_by_used = ['0 EUR/h', '1 USD/h']\n"),
            "t.toml:9: site.nodes.rent_by_used: is in USD, but site.nodes.rent_by_used at t.toml:9 "
            "is in EUR; currencies are never mixed: convert the series first, or say in "
            "costs.exchange what "
            "a USD is worth");
}

const Time kPlacesStart{std::chrono::sys_days(std::chrono::year(2021) / 2 / 15)};
const std::string kPlacesNodes = "nodes = [{ gpus = 8, gpu = 'v100' }]\n";

/// A site of which `lines` tell from line 4 on, and `more` behind it.
Result<Scenario> with_places(const std::string& lines, const std::string& more = "") {
  return parse_scenario("[[site]]\nname = 'texas'\n" + kPlacesNodes + lines +
                            "[workload.generate]\njobs = 5\n" + more,
                        "p.toml", PENSTOCK_ROOT "/data");
}

std::string places_error(const std::string& lines, const std::string& more = "") {
  const auto scenario = with_places(lines, more);
  return scenario ? "no error" : scenario.error().message;
}

const std::string kOutage = "outage = [{ from = '2021-02-15T06:00Z', until = '2021-02-16' }]\n";

TEST(Outages, are_listed_by_site) {
  const auto scenario = with_places(kOutage);
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->outages.size(), 1u);
  EXPECT_EQ(scenario->outages[0].site, SiteId{0});
  EXPECT_EQ(scenario->outages[0].from, kPlacesStart + hours(6));
  EXPECT_EQ(scenario->outages[0].until, kPlacesStart + hours(24));
  EXPECT_FALSE(scenario->failures);
  EXPECT_EQ(scenario->outage_checkpoint, Duration::zero());
}

TEST(Outages, may_lose_work_although_nodes_do_not_break) {
  const auto scenario = with_places(kOutage, "[failures]\ncheckpoint = '1 h'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_FALSE(scenario->failures);
  EXPECT_EQ(scenario->outage_checkpoint, hours(1));
  EXPECT_EQ(places_error("", "[failures]\ncheckpoint = '1 h'\n"),
            "p.toml:6: failures.mtbf: is missing\np.toml:6: failures.mttr: is missing");
}

TEST(Outages, end_after_they_begin) {
  EXPECT_EQ(places_error("outage = [{ from = '2021-02-15', until = '2021-02-15' }]\n"),
            "p.toml:4: site.outage.until: is not after site.outage.from");
  EXPECT_EQ(places_error("outage = [{ from = 'soon', untl = '2021-02-15' }]\n"),
            "p.toml:4: site.outage.from: 'soon' is not a time such as \"2022-03-01T00:00Z\"\n"
            "p.toml:4: site.outage.until: is missing\n"
            "p.toml:4: site.outage.untl: unknown key; did you mean 'until'?");
  EXPECT_EQ(places_error("outage = 3\n"),
            "p.toml:4: site.outage: must be tables, written [[site.outage]]");
}

TEST(SiteClock, is_an_offset_and_a_rule_of_summer_time) {
  EXPECT_EQ(places_error("utc_offset = -6\ndst = 'us'\n"), "no error");
  EXPECT_EQ(places_error("utc_offset = 20\n"),
            "p.toml:4: site.utc_offset: must be at most 14, not 20");
  EXPECT_EQ(places_error("utc_offset = 1\ndst = 'EU'\n"),
            "p.toml:5: site.dst: there is no 'EU'; possible: none eu us");
  EXPECT_EQ(places_error("dst = 'eu'\n"),
            "p.toml:4: site.dst: needs utc_offset, the hours ahead of UTC in winter");
}

TEST(DayAhead, knows_tomorrow_from_the_hour_of_publication_by_the_clock_of_the_site) {
  const auto scenario = with_places(
      "utc_offset = 1\ndst = 'eu'\n"
      "price = { file = 'price-de.csv.gz', column = 'price_eur_per_mwh', unit = 'EUR/MWh' }\n"
      "forecast = { price = { kind = 'day-ahead', published = '13:00' } }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto known = [&](Time now) {
    return Outlook(scenario->signals, scenario->forecasts, now).price(SiteId{0}).known_until();
  };
  EXPECT_EQ(known(kPlacesStart + hours(11)), kPlacesStart + hours(23));
  EXPECT_EQ(known(kPlacesStart + hours(12)), kPlacesStart + hours(47));
  EXPECT_TRUE(std::holds_alternative<PersistenceForecast>(scenario->forecasts[0].carbon.kind));
}

TEST(DayAhead, needs_a_clock_a_time_of_day_and_a_price) {
  const std::string clock = "utc_offset = 1\n";
  EXPECT_EQ(places_error("forecast = { price = { kind = 'day-ahead', published = '13:00' } }\n"),
            "p.toml:4: site.forecast.price.kind: \"day-ahead\" goes by the days of the site's "
            "clock: the site needs utc_offset, and dst where clocks are put forward in summer");
  EXPECT_EQ(places_error(clock + "forecast = { price = { kind = 'day-ahead' } }\n"),
            "p.toml:5: site.forecast.price.published: is missing; the time of day at which prices "
            "of the next day are out, such as \"13:00\"");
  for (const char* wrong : {"noon", "24:00", "13:00Z", "1:00", "13:60"})
    EXPECT_EQ(places_error(clock + "forecast = { price = { kind = 'day-ahead', published = '" +
                           wrong + "' } }\n"),
              std::string("p.toml:5: site.forecast.price.published: '") + wrong +
                  "' is no time of day, such as \"13:00\"");
  EXPECT_EQ(places_error(clock + "forecast = { kind = 'day-ahead', published = '13:00' }\n"),
            "p.toml:5: site.forecast.kind: no market settles carbon: write price = { kind = "
            "\"day-ahead\", … }");
  EXPECT_EQ(
      places_error(clock + "forecast = { carbon = { kind = 'day-ahead', published = '13:00' } }\n"),
      "p.toml:5: site.forecast.carbon.kind: \"day-ahead\" is for prices: no market settles "
      "carbon");
  EXPECT_EQ(places_error("forecast = { kind = 'persistence', published = '13:00' }\n"),
            "p.toml:4: site.forecast.published: belongs to kind = \"day-ahead\"");
}

TEST(Region, is_one_of_four) {
  EXPECT_EQ(places_error("region = 'EU'\n"), "no error");
  EXPECT_EQ(places_error("region = 'Europe'\n"),
            "p.toml:4: site.region: there is no 'Europe'; possible: US EU AP SA");
}

TEST(Pue, follows_the_temperature_if_told_so) {
  const auto scenario = with_places(
      "temperature = { fixed = '30 C' }\n"
      "pue = { from_temperature = { base = 1.1, above = '20 C', slope = 0.02, most = 1.5 } }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_NEAR(scenario->signals[0].pue.at(kPlacesStart).value(), 1.3, 1e-12);
  const auto usual =
      with_places("temperature = { fixed = '5 C' }\npue = { from_temperature = {} }\n");
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(usual->signals[0].pue.at(kPlacesStart), Ratio(1.2));
}

TEST(Pue, needs_the_temperature_that_it_follows) {
  EXPECT_EQ(places_error("pue = { from_temperature = { base = 0.9, slpe = 1 } }\n"),
            "p.toml:4: site.pue.from_temperature.base: must be at least 1, not 0.9\n"
            "p.toml:4: site.pue.from_temperature.slpe: unknown key; did you mean 'slope'?\n"
            "p.toml:4: site.pue.from_temperature: needs site.temperature, from which it follows");
  EXPECT_EQ(places_error("temperature = { fixed = '5 C' }\npue = { from_temperature = true }\n"),
            "p.toml:5: site.pue.from_temperature: must be a table such as { base = 1.2, above = "
            "\"15 C\" }, not true or false");
}

TEST(Exchange, converts_prices_when_they_are_read) {
  const std::string price = "price = { fixed = '0.10 USD/kWh' }\n";
  const auto scenario = with_places(
      price, "[costs]\ncurrency = 'EUR'\nexchange = { USD = 0.8 }\ncarbon_price = '50 USD/t'\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_NEAR(scenario->signals[0].price.at(kPlacesStart).value(), 0.08, 1e-12);
  EXPECT_NEAR(scenario->carbon_price, 40e-6, 1e-18);
  EXPECT_EQ(scenario->notes.back(), "a USD counts as 0.8 EUR, as costs.exchange says");
}

TEST(Exchange, needs_a_currency_and_rates_that_can_be) {
  EXPECT_EQ(places_error("", "[costs]\nexchange = { USD = 0.8 }\n"),
            "p.toml:7: costs.exchange: needs costs.currency, which says what it is worth in");
  EXPECT_EQ(places_error("", "[costs]\ncurrency = 'EUR'\nexchange = { EUR = 1, USD = 0 }\n"),
            "p.toml:8: costs.exchange.EUR: is costs.currency itself\n"
            "p.toml:8: costs.exchange.USD: must be at least 1e-06, not 0");
}

TEST(Coverage, says_of_which_site_a_series_is) {
  const std::string price =
      "price = { file = 'price-nl.csv.gz', column = 'price_eur_per_mwh', unit = 'EUR/MWh' }\n";
  const auto scenario = with_places(price, "[[site]]\nname = 'oslo'\n" + kPlacesNodes);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto covered = check_coverage(*scenario, kPlacesStart - hours(24 * 3650), kPlacesStart);
  ASSERT_FALSE(covered);
  EXPECT_TRUE(covered.error().message.starts_with("p.toml:4: site.price of 'texas': "))
      << covered.error().message;
}

}  // namespace
}  // namespace penstock
