#include "base/local_clock.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

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
