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

}  // namespace
}  // namespace penstock
