#include "io/signals/issued.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

const Time kIssuedStart{std::chrono::sys_days(std::chrono::year(2022) / 7 / 1)};

IssuedSpec carbon() {
  return {.file = "f.csv", .column = "g", .unit = "g/kWh", .measure = Measure::carbon};
}

std::string issued_error(std::string_view text) {
  const auto series = parse_issued(text, carbon());
  return series ? "no error" : series.error().message;
}

TEST(Issued, rows_are_grouped_by_issue) {
  const auto series = parse_issued(
      "issue_utc,lead_h,g\n"
      "2022-07-01T00:00Z,0,400\n"
      "2022-07-01T00:00Z,1,410\n"
      "2022-07-02T00:00Z,0,500\n"
      "2022-07-02T00:00Z,2,510\n",
      carbon());
  ASSERT_TRUE(series) << series.error().message;
  const auto forecast = issued_of<CarbonIntensity>(*series);
  ASSERT_EQ(forecast.issues.size(), 2u);
  EXPECT_EQ(forecast.issues[0].values.at(kIssuedStart + hours(1)), CarbonIntensity(410));
  EXPECT_EQ(forecast.issues[0].end, kIssuedStart + hours(2));
  EXPECT_EQ(forecast.issues[1].issued, kIssuedStart + hours(24));
  EXPECT_EQ(forecast.issues[1].end, kIssuedStart + hours(28));
}

TEST(Issued, bad_rows_are_all_named_with_their_lines) {
  EXPECT_EQ(issued_error("issue_utc,lead_h,g\n"
                         "2022-07-02T00:00Z,0,400\n"
                         "2022-07-01T00:00Z,0,400\n"
                         "2022-07-02T00:00Z,0,400\n"
                         "2022-07-02T00:00Z,-1,400\n"
                         "2022-07-02T00:00Z,1,nan\n"),
            "f.csv:3: issue_utc: 2022-07-01T00:00:00Z is out of order: the row before is "
            "2022-07-02T00:00:00Z\n"
            "f.csv:4: lead_h: does not grow within one issue\n"
            "f.csv:5: lead_h: -1 h is not between 0 h and a year\n"
            "f.csv:6: g: 'nan' is not a finite number");
}

TEST(Issued, a_missing_column_is_named) {
  EXPECT_EQ(issued_error("issue_utc,lead,g\n"),
            "f.csv: no column 'lead_h'; there are: issue_utc lead g; did you mean 'lead'?");
  EXPECT_EQ(issued_error("issue_utc,lead_h,g\n"), "f.csv: g: has no values");
}

}  // namespace
}  // namespace penstock
