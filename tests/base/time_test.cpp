#include "base/time.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using std::chrono::sys_days;
using std::chrono::year;

const Time kMarch = sys_days(year(2022) / 3 / 1);

TEST(Time, is_read_with_or_without_clock_and_zone) {
  EXPECT_EQ(parse_time("2022-03-01"), kMarch);
  EXPECT_EQ(parse_time("2022-03-01T00:00Z"), kMarch);
  EXPECT_EQ(parse_time("2022-03-01 01:02:03"), kMarch + 1h + 2min + 3s);
  EXPECT_EQ(parse_time("2022-03-01T00:00:00.25Z"), kMarch + 250ms);
  EXPECT_EQ(parse_time("2022-03-01T02:00+02:00"), kMarch);
}

TEST(Time, that_no_calendar_has_is_refused) {
  for (const char* text : {"", "2022-02-29", "2022-13-01", "2022-03-01T25:00Z", "yesterday",
                           "2022-03-01T00:00 CET", "2022-03-01T00:00Zx", "2022-03-01T24:01Z",
                           "2022-03-01T00:00+24:00", "2022-03-01T00:00+01:60"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(Time, midnight_may_close_a_day) {
  EXPECT_EQ(parse_time("2022-02-28T24:00Z"), kMarch);
  EXPECT_EQ(parse_time("2022-02-28T24:00:00Z"), kMarch);
}

TEST(Time, beyond_four_digits_of_years_is_refused) {
  for (const char* text : {"9999-12-31T24:00Z", "9999-12-31T23:59-00:01", "0000-01-01T00:00+00:01"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(Time, is_written_as_it_is_read) {
  EXPECT_EQ(format_time(kMarch), "2022-03-01T00:00:00Z");
  EXPECT_EQ(parse_time(format_time(kMarch + 1500ms)), kMarch + 1500ms);
}

TEST(Time, lengths_need_a_unit) {
  EXPECT_EQ(parse_duration("30 s"), Duration(30s));
  EXPECT_EQ(parse_duration("10 min"), Duration(10min));
  EXPECT_EQ(parse_duration("1.5 h"), Duration(90min));
  EXPECT_EQ(parse_duration("3 d"), Duration(72h));
  EXPECT_EQ(parse_duration("2 weeks"), Duration(336h));
  EXPECT_EQ(parse_duration("500 ms"), Duration(500ms));
  for (const char* text : {"30", "", "-1 s", "nan s", "inf h", "3 fortnights"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Time, rounds_as_it_says) {
  EXPECT_EQ(ceil_duration(0.0001), Duration(1));
  EXPECT_EQ(ceil_duration(2), Duration(2000));
  EXPECT_EQ(round_duration(0.0004), Duration(0));
  EXPECT_EQ(round_duration(-0.0016), Duration(-2));
}

const LocalClock kBerlin{.ahead = 1h, .daylight = Daylight::eu};
const LocalClock kDallas{.ahead = -6h, .daylight = Daylight::us};
const LocalClock kLosAngeles{.ahead = -8h, .daylight = Daylight::us};

Time at(const char* text) {
  return *parse_time(text);
}
std::string shown(const LocalClock& clock, const char* utc) {
  return format_time(clock.shown_at(at(utc)));
}
std::string when(const LocalClock& clock, const char* local) {
  return format_time(clock.when(at(local)));
}

TEST(LocalClock, without_a_rule_keeps_its_distance) {
  const LocalClock kolkata{.ahead = 5h + 30min};
  EXPECT_EQ(shown(kolkata, "2021-01-01T00:00Z"), "2021-01-01T05:30:00Z");
  EXPECT_EQ(shown(kolkata, "2021-07-01T00:00Z"), "2021-07-01T05:30:00Z");
  EXPECT_EQ(when(kolkata, "2021-07-01T05:30Z"), "2021-07-01T00:00:00Z");
}

TEST(LocalClock, in_europe_skips_an_hour_in_spring_and_has_one_twice_in_autumn) {
  EXPECT_EQ(shown(kBerlin, "2021-03-28T00:59Z"), "2021-03-28T01:59:00Z");
  EXPECT_EQ(shown(kBerlin, "2021-03-28T01:00Z"), "2021-03-28T03:00:00Z");
  EXPECT_EQ(shown(kBerlin, "2021-10-31T00:30Z"), "2021-10-31T02:30:00Z");
  EXPECT_EQ(shown(kBerlin, "2021-10-31T00:59:59Z"), "2021-10-31T02:59:59Z");
  EXPECT_EQ(shown(kBerlin, "2021-10-31T01:30Z"), "2021-10-31T02:30:00Z");
}

TEST(LocalClock, in_america_changes_at_two_by_the_clock_of_each_place) {
  EXPECT_EQ(shown(kDallas, "2021-03-14T07:59Z"), "2021-03-14T01:59:00Z");
  EXPECT_EQ(shown(kDallas, "2021-03-14T08:00Z"), "2021-03-14T03:00:00Z");
  EXPECT_EQ(shown(kLosAngeles, "2021-03-14T09:59Z"), "2021-03-14T01:59:00Z");
  EXPECT_EQ(shown(kLosAngeles, "2021-03-14T10:00Z"), "2021-03-14T03:00:00Z");
  EXPECT_EQ(shown(kDallas, "2021-11-07T06:59Z"), "2021-11-07T01:59:00Z");
  EXPECT_EQ(shown(kDallas, "2021-11-07T07:00Z"), "2021-11-07T01:00:00Z");
  EXPECT_EQ(shown(kLosAngeles, "2021-11-07T09:00Z"), "2021-11-07T01:00:00Z");
}

TEST(LocalClock, between_the_two_rules_continents_are_an_hour_closer_or_farther) {
  const auto apart = [](const char* day) {
    return kBerlin.ahead_at(at(day)) - kDallas.ahead_at(at(day));
  };
  EXPECT_EQ(apart("2021-03-10"), Duration(7h));
  EXPECT_EQ(apart("2021-03-20"), Duration(6h));
  EXPECT_EQ(apart("2021-07-01"), Duration(7h));
  EXPECT_EQ(apart("2021-11-03"), Duration(6h));
}

TEST(LocalClock, takes_the_first_of_two_instants_and_moves_what_is_skipped_behind_the_change) {
  EXPECT_EQ(when(kBerlin, "2021-10-31T02:30Z"), "2021-10-31T00:30:00Z");
  EXPECT_EQ(when(kBerlin, "2021-03-28T02:30Z"), "2021-03-28T01:30:00Z");
  EXPECT_EQ(when(kDallas, "2021-11-07T01:30Z"), "2021-11-07T06:30:00Z");
  EXPECT_EQ(when(kDallas, "2021-03-14T02:30Z"), "2021-03-14T08:30:00Z");
}

TEST(LocalClock, days_of_change_have_23_and_25_hours) {
  const auto length = [](const char* day, const char* next) {
    return kBerlin.when(at(next)) - kBerlin.when(at(day));
  };
  EXPECT_EQ(length("2021-03-28", "2021-03-29"), Duration(23h));
  EXPECT_EQ(length("2021-06-28", "2021-06-29"), Duration(24h));
  EXPECT_EQ(length("2021-10-31", "2021-11-01"), Duration(25h));
}

TEST(LocalClock, comes_back_from_every_instant_but_those_of_the_doubled_hour) {
  int doubled = 0;
  for (Time t = at("2021-01-01"); t < at("2022-01-01"); t += 15min)
    if (kBerlin.when(kBerlin.shown_at(t)) != t) ++doubled;
  EXPECT_EQ(doubled, 4);
}

}  // namespace
}  // namespace penstock
