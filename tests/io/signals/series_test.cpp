#include "io/signals/series.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::hours;

const Time kSeriesStart{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

SeriesSpec prices() {
  return {.file = "p.csv", .column = "price", .unit = "EUR/MWh", .measure = Measure::price};
}

std::string series_error(std::string_view text, const SeriesSpec& spec = prices()) {
  const auto series = parse_series(text, spec);
  return series ? "no error" : series.error().message;
}

std::vector<double> values(const Series& series) {
  std::vector<double> all;
  for (const auto& point : series.points) all.push_back(point.value);
  return all;
}

TEST(Series, a_named_column_is_read_in_its_unit) {
  const auto series =
      parse_series("utc,other,price\n2022-03-01T00:00Z,1,50\n2022-03-01T01:00Z,1,-20\n", prices());
  ASSERT_TRUE(series) << series.error().message;
  const auto signal = signal_of<Price>(*series);
  EXPECT_EQ(signal.at(kSeriesStart), Price(0.05));
  EXPECT_EQ(signal.at(kSeriesStart + hours(1)), Price(-0.02));
  EXPECT_EQ(series->end, kSeriesStart + hours(2));
  EXPECT_EQ(series->currency, "EUR");
  EXPECT_TRUE(series->notes.empty());
}

TEST(Series, negative_and_extreme_prices_are_kept) {
  const auto series =
      parse_series("utc,price\n2021-02-15T00:00Z,9000\n2021-02-15T01:00Z,-500\n", prices());
  EXPECT_EQ(values(*series), (std::vector<double>{9, -0.5}));
}

TEST(Series, times_may_be_unix_seconds_or_have_another_head) {
  EXPECT_TRUE(parse_series("Datetime (UTC),price\n2022-03-01 00:00:00,1\n2022-03-01 01:00:00,2\n",
                           prices()));
  const auto series = parse_series("timestamp,price\n1646092800,1\n1646096400,2\n", prices());
  EXPECT_EQ(series->points[0].from, kSeriesStart);
  auto spec = prices();
  spec.time_column = "hour";
  EXPECT_EQ(parse_series("hour,price\n1646092800,1\n1646096400,2\n", spec)->end,
            kSeriesStart + hours(2));
}

TEST(Series, an_unknown_column_or_unit_says_what_there_is) {
  EXPECT_EQ(series_error("utc,prize\n"),
            "p.csv: no column 'price'; there are: utc prize; did you mean "
            "'prize'?");
  EXPECT_EQ(series_error("when,price\n"),
            "p.csv: no time column; it is found by the names 'utc', 'time', 'timestamp', "
            "'datetime', 'date', 'Datetime (UTC)', or set time_column");
  auto spec = prices();
  spec.unit = "EUR/MW";
  EXPECT_EQ(series_error("utc,price\n", spec),
            "unknown unit 'EUR/MW'; a price can be in: EUR/kWh EUR/MWh USD/kWh USD/MWh ct/kWh (or "
            "another currency)");
}

TEST(Series, an_empty_file_has_nothing_to_say) {
  EXPECT_EQ(series_error(""), "p.csv: is empty");
  EXPECT_EQ(series_error("utc,price\n"), "p.csv: price: has no values");
  EXPECT_EQ(series_error("utc,price\n2022-03-01T00:00Z,1\n"),
            "p.csv: price: has one value only; write a constant as { fixed = … }");
}

TEST(Series, a_missing_file_is_named) {
  auto spec = prices();
  spec.file = "nowhere/p.csv";
  EXPECT_EQ(read_series(spec).error().message, "nowhere/p.csv: no such file");
}

TEST(Series, bad_cells_are_all_named_with_their_lines) {
  EXPECT_EQ(series_error("utc,price\n"
                         "2022-03-01T00:00Z,cheap\n"
                         "2022-03-01T01:00Z,inf\n"
                         "yesterday,3\n"
                         "1969-12-31T23:00Z,3\n"),
            "p.csv:2: price: 'cheap' is not a finite number\n"
            "p.csv:3: price: 'inf' is not a finite number\n"
            "p.csv:4: utc: 'yesterday' is not a time such as 2022-03-01T00:00Z\n"
            "p.csv:5: utc: '1969-12-31T23:00Z' is before 1970");
}

TEST(Series, times_out_of_order_or_twice_are_refused) {
  EXPECT_EQ(series_error("utc,price\n"
                         "2022-03-01T01:00Z,1\n"
                         "2022-03-01T00:00Z,1\n"
                         "2022-03-01T01:00Z,1\n"),
            "p.csv:3: utc: 2022-03-01T00:00:00Z is out of order: the row before is "
            "2022-03-01T01:00:00Z\n"
            "p.csv:4: utc: 2022-03-01T01:00:00Z appears twice");
}

TEST(Series, only_the_first_problems_are_shown) {
  std::string text = "utc,price\n";
  for (int i = 0; i < 100; ++i) text += "never,1\n";
  EXPECT_EQ(series_error(text),
            "p.csv:2: utc: 'never' is not a time such as 2022-03-01T00:00Z\n"
            "p.csv:3: utc: 'never' is not a time such as 2022-03-01T00:00Z\n"
            "p.csv:4: utc: 'never' is not a time such as 2022-03-01T00:00Z\n"
            "p.csv:5: utc: 'never' is not a time such as 2022-03-01T00:00Z\n"
            "p.csv:6: utc: 'never' is not a time such as 2022-03-01T00:00Z\n"
            "… and perhaps more");
}

TEST(Series, what_cannot_be_is_refused) {
  auto spec = prices();
  spec.measure = Measure::carbon;
  spec.unit = "g/kWh";
  spec.lowest = 0;
  EXPECT_EQ(series_error("utc,price\n2022-03-01T00:00Z,-1\n2022-03-01T01:00Z,1\n", spec),
            "p.csv:2: price: -1 is below 0");
}

constexpr std::string_view kWithHoles =
    "utc,price\n"
    "2022-03-01T00:00Z,1000\n"
    "2022-03-01T01:00Z,2000\n"
    "2022-03-01T04:00Z,5000\n"
    "2022-03-01T05:00Z,NaN\n"
    "2022-03-01T06:00Z,7000\n";

TEST(Series, a_hole_is_an_error_that_names_it) {
  EXPECT_EQ(series_error(kWithHoles),
            "p.csv:4: utc: nothing between 2022-03-01T01:00:00Z and 2022-03-01T04:00:00Z, where "
            "rows are 1 h apart; fill holes with gap = \"hold\" or gap = \"interpolate\"\n"
            "p.csv:5: price: is missing; fill holes with gap = \"hold\" or gap = \"interpolate\"");
}

TEST(Series, a_hole_can_hold_the_value_before_it) {
  auto spec = prices();
  spec.gap = GapRule::hold;
  const auto series = parse_series(kWithHoles, spec);
  ASSERT_TRUE(series);
  const auto signal = signal_of<Price>(*series);
  EXPECT_EQ(signal.at(kSeriesStart + hours(3)), Price(2));
  EXPECT_EQ(signal.at(kSeriesStart + hours(5)), Price(5));
  EXPECT_EQ(series->notes,
            (std::vector<std::string>{"p.csv: price: 3 missing values in 2 holes filled by hold"}));
}

TEST(Series, a_hole_can_be_interpolated_step_by_step) {
  auto spec = prices();
  spec.gap = GapRule::interpolate;
  const auto series = parse_series(kWithHoles, spec);
  ASSERT_TRUE(series);
  EXPECT_EQ(values(*series), (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(series->notes, (std::vector<std::string>{
                               "p.csv: price: 3 missing values in 2 holes filled by interpolate"}));
}

TEST(Series, empty_cells_at_the_ends_are_left_out) {
  auto spec = prices();
  spec.gap = GapRule::hold;
  const auto series = parse_series(
      "utc,price\n2022-03-01T00:00Z,\n2022-03-01T01:00Z,1\n2022-03-01T02:00Z,2\n"
      "2022-03-01T03:00Z,\n",
      spec);
  EXPECT_EQ(series->points.front().from, kSeriesStart + hours(1));
  EXPECT_EQ(series->end, kSeriesStart + hours(3));
  EXPECT_EQ(series->notes,
            (std::vector<std::string>{"p.csv: price: 2 empty cells at the ends left out"}));
}

TEST(Series, a_hole_of_ages_is_a_slip) {
  auto spec = prices();
  spec.gap = GapRule::interpolate;
  EXPECT_EQ(series_error("utc,price\n1,1\n2,1\n3,1\n2022-03-01T00:00Z,1\n", spec),
            "p.csv: price: 1646092796 values are missing where rows are 1 s apart: too many to "
            "fill");
}

std::string hourly(int count) {
  std::string text = "utc,price\n";
  for (int h = 0; h < count; ++h)
    text += format_time(kSeriesStart + hours(h)) + "," + std::to_string(1000 * h) + "\n";
  return text;
}

TEST(Series, the_last_week_repeats_if_there_is_one) {
  auto spec = prices();
  spec.after_end = AfterEnd::repeat;
  const auto series = parse_series(hourly(200), spec);
  ASSERT_TRUE(series);
  const auto signal = signal_of<Price>(*series);
  EXPECT_EQ(signal.at(kSeriesStart + hours(199)), Price(199));
  EXPECT_EQ(signal.at(kSeriesStart + hours(200)), Price(32));
  EXPECT_EQ(signal.at(kSeriesStart + hours(200 + 168 * 100 + 5)), Price(37));
  EXPECT_EQ(series->end, kSeriesStart + hours(200));
  EXPECT_EQ(
      series->notes,
      (std::vector<std::string>{"p.csv: price: repeats its last 7 d after 2022-03-09T08:00:00Z"}));
}

TEST(Series, else_the_last_day_repeats) {
  auto spec = prices();
  spec.after_end = AfterEnd::repeat;
  const auto signal = signal_of<Price>(*parse_series(hourly(30), spec));
  EXPECT_EQ(signal.at(kSeriesStart + hours(30)), Price(6));
  EXPECT_EQ(signal.at(kSeriesStart + hours(30 + 24)), Price(6));
  EXPECT_EQ(series_error(hourly(5), spec),
            "p.csv: price: is 5 h long; after_end = \"repeat\" needs a whole day");
}

}  // namespace
}  // namespace penstock
