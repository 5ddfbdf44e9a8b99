#include "io/signals/unit.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

double value(std::string_view text, Measure measure) {
  const auto parsed = parse_quantity(text, measure);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->value : 0;
}

std::string unit_error(std::string_view text, Measure measure) {
  const auto parsed = parse_quantity(text, measure);
  return parsed ? "no error" : parsed.error().message;
}

TEST(Unit, prices_become_money_per_kilowatt_hour) {
  EXPECT_DOUBLE_EQ(value("0.12 USD/kWh", Measure::price), 0.12);
  EXPECT_DOUBLE_EQ(value("120 USD/MWh", Measure::price), 0.12);
  EXPECT_DOUBLE_EQ(value("12 ct/kWh", Measure::price), 0.12);
  EXPECT_DOUBLE_EQ(value("-500 EUR/MWh", Measure::price), -0.5);
}

TEST(Unit, prices_remember_their_currency) {
  EXPECT_EQ(parse_unit("SEK/MWh", Measure::price)->currency, "SEK");
  EXPECT_EQ(parse_unit("ct/kWh", Measure::price)->currency, "EUR");
  EXPECT_EQ(parse_quantity("80 EUR/t", Measure::carbon_price)->currency, "EUR");
}

TEST(Unit, carbon_becomes_grams_per_kilowatt_hour) {
  EXPECT_DOUBLE_EQ(value("300 g/kWh", Measure::carbon), 300);
  EXPECT_DOUBLE_EQ(value("300 kg/MWh", Measure::carbon), 300);
  EXPECT_DOUBLE_EQ(value("1000 lb/MWh", Measure::carbon), 453.59237);
  EXPECT_DOUBLE_EQ(value("80 EUR/t", Measure::carbon_price), 8e-5);
}

TEST(Unit, the_rest_of_the_table) {
  EXPECT_DOUBLE_EQ(value("40 kWh/h", Measure::power), 40000);
  EXPECT_DOUBLE_EQ(value("1.5MW", Measure::power), 1.5e6);
  EXPECT_DOUBLE_EQ(value("12EUR/kWh", Measure::price), 12);
  EXPECT_DOUBLE_EQ(value("7.2 USD/h", Measure::rent), 0.002);
  EXPECT_NEAR(value("212 F", Measure::temperature), 100, 1e-12);
  EXPECT_DOUBLE_EQ(value("0 C", Measure::temperature), value("273.15 K", Measure::temperature));
  EXPECT_DOUBLE_EQ(value("10 %", Measure::ratio), 0.1);
  EXPECT_DOUBLE_EQ(value("0.1", Measure::ratio), 0.1);
  EXPECT_DOUBLE_EQ(value("512 MiB", Measure::memory), 0.5);
  EXPECT_DOUBLE_EQ(value("1.41 GHz", Measure::clock), 1410);
}

TEST(Unit, what_is_sent_between_sites) {
  EXPECT_DOUBLE_EQ(value("1.5 TB", Measure::size), 1500);
  EXPECT_DOUBLE_EQ(value("2 Gbps", Measure::throughput), 2000);
  EXPECT_DOUBLE_EQ(value("20 EUR/TB", Measure::fee), 0.02);
  EXPECT_DOUBLE_EQ(value("0.06 kWh/GB", Measure::transfer), 216'000);
  EXPECT_EQ(parse_unit("USD/GB", Measure::fee)->currency, "USD");
}

TEST(Unit, an_unknown_unit_lists_the_possible_ones) {
  EXPECT_EQ(unit_error("3 EUR/GWh", Measure::price),
            "unknown unit 'EUR/GWh'; a price can be in: EUR/kWh EUR/MWh USD/kWh USD/MWh ct/kWh "
            "(or another currency)");
  EXPECT_EQ(unit_error("3 mg/kWh", Measure::carbon),
            "unknown unit 'mg/kWh'; a carbon intensity can be in: g/kWh kg/kWh kg/MWh t/MWh "
            "lb/MWh");
  EXPECT_EQ(unit_error("3 XYZ/kWh", Measure::price),
            "unknown unit 'XYZ/kWh'; a price can be in: EUR/kWh EUR/MWh USD/kWh USD/MWh ct/kWh "
            "(or another currency)");
}

TEST(Unit, a_missing_number_or_unit_is_said) {
  EXPECT_EQ(unit_error("soon", Measure::duration), "'soon' does not begin with a finite number");
  EXPECT_EQ(unit_error("nan W", Measure::power), "'nan W' does not begin with a finite number");
  EXPECT_EQ(unit_error("1e999 W", Measure::power), "'1e999 W' does not begin with a finite number");
  EXPECT_EQ(unit_error("", Measure::power), "'' does not begin with a finite number");
  EXPECT_EQ(unit_error("30", Measure::duration),
            "'30' has no unit; a time can be in: ms s min h d weeks");
}

TEST(Unit, durations_are_whole_milliseconds_and_not_negative) {
  EXPECT_EQ(*read_duration("90 s"), std::chrono::seconds(90));
  EXPECT_EQ(*read_duration("1.5 min"), std::chrono::seconds(90));
  EXPECT_EQ(*read_duration("3 d"), std::chrono::hours(72));
  EXPECT_EQ(*read_duration("1 week"), std::chrono::hours(168));
  EXPECT_EQ(read_duration("-3 d").error().message, "'-3 d' is negative");
  EXPECT_EQ(read_duration("1e9 weeks").error().message, "'1e9 weeks' is more than 1000 years");
}

TEST(Unit, durations_are_written_in_their_largest_whole_unit) {
  EXPECT_EQ(format_duration(std::chrono::hours(48)), "2 d");
  EXPECT_EQ(format_duration(std::chrono::minutes(90)), "90 min");
  EXPECT_EQ(format_duration(Duration(1500)), "1500 ms");
}

}  // namespace
}  // namespace penstock
