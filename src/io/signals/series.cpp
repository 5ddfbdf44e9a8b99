#include "io/signals/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <span>

#include "io/text/csv.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {

Error FirstProblems::as_error() const {
  std::string text = fmt::format("{}", fmt::join(lines_, "\n"));
  return {is_full() ? text + "\n… and perhaps more" : text};
}

namespace {

/// One row of a series as its file has it.
struct SeriesRow {
  Time from{};
  std::uint64_t line = 0;
  std::optional<double> value{};
};

/// More than this would be a slip in a time, not a hole or a pattern.
constexpr std::int64_t kMostMadeUp = 3'000'000;

constexpr std::string_view kHowToFill = R"(; fill holes with gap = "hold" or gap = "interpolate")";
constexpr Duration kOneDay = std::chrono::hours(24);

/// How far most rows are apart.
Duration usual_step(std::span<const SeriesRow> rows) {
  std::map<Duration, std::size_t> counts;
  for (std::size_t i = 1; i < rows.size(); ++i) ++counts[rows[i].from - rows[i - 1].from];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most->first;
}

std::span<const SeriesRow> without_empty_ends(std::span<const SeriesRow> rows) {
  while (!rows.empty() && !rows.front().value) rows = rows.subspan(1);
  while (!rows.empty() && !rows.back().value) rows = rows.first(rows.size() - 1);
  return rows;
}

Error holes(std::span<const SeriesRow> rows, Duration step, const SeriesSpec& spec,
            const std::string& time_column) {
  FirstProblems problems;
  const std::string file = spec.file.string();
  for (std::size_t i = 0; i < rows.size() && !problems.is_full(); ++i) {
    if (!rows[i].value)
      problems.add(
          fmt::format("{}:{}: {}: is missing{}", file, rows[i].line, spec.column, kHowToFill));
    if (i > 0 && rows[i].from - rows[i - 1].from > step)
      problems.add(fmt::format("{}:{}: {}: nothing between {} and {}, where rows are {} apart{}",
                               file, rows[i].line, time_column, format_time(rows[i - 1].from),
                               format_time(rows[i].from), format_duration(step), kHowToFill));
  }
  return problems.as_error();
}

/// Walks over the rows and fills what lies between two values.
class GapFiller {
 public:
  GapFiller(GapRule rule, Duration step) : rule_(rule), step_(step) {}

  void add(const SeriesRow& row) {
    if (!row.value) return;
    const Series::Point point{row.from, *row.value};
    if (!points_.empty()) fill_until(point);
    points_.push_back(point);
  }
  std::vector<Series::Point> take() { return std::move(points_); }
  std::int64_t filled() const { return filled_; }
  std::size_t holes() const { return holes_; }

 private:
  void fill_until(const Series::Point& next) {
    const Series::Point last = points_.back();
    if (next.from - last.from <= step_) return;
    ++holes_;
    const std::int64_t missing = (next.from - last.from - Duration(1)) / step_;
    filled_ += missing;
    if (rule_ != GapRule::interpolate || filled_ > kMostMadeUp) return;  // steps hold by themselves
    for (Time t = last.from + step_; t < next.from; t += step_) {
      const double part = seconds(t - last.from) / seconds(next.from - last.from);
      points_.push_back({t, last.value + part * (next.value - last.value)});
    }
  }

  GapRule rule_;
  Duration step_;
  std::vector<Series::Point> points_{};
  std::int64_t filled_ = 0;
  std::size_t holes_ = 0;
};

bool has_holes(std::span<const SeriesRow> rows, Duration step) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].value) return true;
    if (i > 0 && rows[i].from - rows[i - 1].from > step) return true;
  }
  return false;
}

/// Rows in order of time as a series without holes, filled as `spec.gap` says.
/// Empty cells before the first and behind the last value are left out.
Result<Series> close_gaps(std::span<const SeriesRow> rows, const SeriesSpec& spec,
                          const std::string& time_column) {
  const std::string file = spec.file.string();
  const auto whole = spec.gap == GapRule::error ? rows : without_empty_ends(rows);
  if (whole.empty()) return Error{fmt::format("{}: {}: has no values", file, spec.column)};
  if (whole.size() == 1)
    return Error{fmt::format("{}: {}: has one value only; write a constant as {{ fixed = … }}",
                             file, spec.column)};
  const Duration step = usual_step(whole);
  const bool filling = has_holes(whole, step);
  if (filling && spec.gap == GapRule::error) return holes(whole, step, spec, time_column);

  GapFiller filler(spec.gap, step);
  for (const SeriesRow& row : whole) filler.add(row);
  if (filler.filled() > kMostMadeUp)
    return Error{
        fmt::format("{}: {}: {} values are missing where rows are {} apart: too many to fill", file,
                    spec.column, filler.filled(), format_duration(step))};
  Series series{.points = filler.take(), .end = whole.back().from + step};
  if (whole.size() < rows.size())
    series.notes.push_back(fmt::format("{}: {}: {} empty cells at the ends left out", file,
                                       spec.column, rows.size() - whole.size()));
  if (filling)
    series.notes.push_back(fmt::format("{}: {}: {} missing values in {} holes filled by {}", file,
                                       spec.column, filler.filled(), filler.holes(),
                                       spec.gap == GapRule::hold ? "hold" : "interpolate"));
  return series;
}

/// The series followed by its last whole week, or day, for kRepeated.
Result<Series> repeat_end(Series series, const SeriesSpec& spec) {
  const Duration length = series.end - series.points.front().from;
  if (length < kOneDay)
    return Error{fmt::format(R"({}: {}: is {} long; after_end = "repeat" needs a whole day)",
                             spec.file.string(), spec.column, format_duration(length))};
  const Duration period = length < 7 * kOneDay ? kOneDay : 7 * kOneDay;
  const Time begin = series.end - period;
  const auto after = std::ranges::upper_bound(series.points, begin, {}, &Series::Point::from);
  std::vector<Series::Point> pattern(std::prev(after), series.points.end());
  pattern.front().from = begin;  // a step that reaches into the period begins with it
  if (static_cast<std::int64_t>(pattern.size()) * (kRepeated / period) > kMostMadeUp)
    return Error{fmt::format("{}: {}: {} rows in {} are too many to repeat", spec.file.string(),
                             spec.column, pattern.size(), format_duration(period))};
  for (Duration shift = period; shift <= kRepeated; shift += period)
    for (const auto& point : pattern) series.points.push_back({point.from + shift, point.value});
  series.notes.push_back(fmt::format("{}: {}: repeats its last {} after {}", spec.file.string(),
                                     spec.column, format_duration(period),
                                     format_time(series.end)));
  return series;
}

constexpr auto kTimeColumns = std::to_array<std::string_view>(
    {"utc", "time", "timestamp", "datetime", "date", "Datetime (UTC)"});

constexpr auto kNoValue = std::to_array<std::string_view>({"", "nan", "na", "n/a", "null", "-"});
constexpr double kLatestUnixSeconds = 4e10;

Result<std::size_t> find_time_column(const CsvTable& table, const SeriesSpec& spec) {
  if (!spec.time_column.empty()) return table.column(spec.time_column);
  for (const std::string_view name : kTimeColumns)
    if (const auto at = table.find(name)) return *at;
  return Error{fmt::format("{}: no time column; it is found by the names '{}', or set time_column",
                           table.file(), fmt::join(kTimeColumns, "', '"))};
}

/// "2022-03-01T00:00Z", or seconds since 1970.
Result<Time> read_time(std::string_view cell) {
  if (cell.empty()) return Error{"is missing"};
  auto time = parse_time(cell);
  if (!time) {
    const auto unix_seconds = parse_number<double>(cell);
    if (unix_seconds && *unix_seconds >= 0 && *unix_seconds < kLatestUnixSeconds)
      time = Time(round_duration(*unix_seconds));
  }
  if (!time) return Error{in_quotes(cell) + " is not a time such as 2022-03-01T00:00Z"};
  if (*time < Time{}) return Error{in_quotes(cell) + " is before 1970"};
  return *time;
}

bool is_missing(std::string_view cell) {
  std::string lower(cell);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kNoValue, lower) != kNoValue.end();
}

/// Reads the rows one by one and keeps the problems it meets.
class SeriesRowReader {
 public:
  SeriesRowReader(CsvTable& table, const SeriesSpec& spec, Unit unit, std::size_t time_at,
                  std::size_t value_at)
      : table_(table),
        spec_(spec),
        unit_(std::move(unit)),
        time_at_(time_at),
        value_at_(value_at) {}

  void read() {
    while (!problems_.is_full() && table_.next()) read_row();
  }
  const std::vector<SeriesRow>& rows() const { return rows_; }
  FirstProblems& problems() { return problems_; }

 private:
  void refuse(std::size_t column, const std::string& what) {
    problems_.add(fmt::format("{}: {}: {}", table_.where(), table_.columns()[column], what));
  }

  void read_row() {
    const auto time = read_time(table_.cell(time_at_));
    if (!time) return refuse(time_at_, time.error().message);
    if (!rows_.empty() && *time == rows_.back().from)
      return refuse(time_at_, format_time(*time) + " appears twice");
    if (!rows_.empty() && *time < rows_.back().from)
      return refuse(time_at_, fmt::format("{} is out of order: the row before is {}",
                                          format_time(*time), format_time(rows_.back().from)));
    rows_.push_back({.from = *time, .line = table_.line(), .value = read_value()});
  }

  std::optional<double> read_value() {
    const std::string_view cell = table_.cell(value_at_);
    const auto number = parse_number<double>(cell);
    if (!number && is_missing(cell)) return std::nullopt;
    if (!number) {
      refuse(value_at_, number.error().message);
      return 0;
    }
    const double value = *number * unit_.factor + unit_.offset;
    if (value < spec_.lowest) refuse(value_at_, fmt::format("{} is below {}", cell, spec_.lowest));
    return value;
  }

  CsvTable& table_;
  const SeriesSpec& spec_;
  Unit unit_;
  std::size_t time_at_;
  std::size_t value_at_;
  std::vector<SeriesRow> rows_;
  FirstProblems problems_;
};

}  // namespace

Result<Series> parse_series(std::string_view text, const SeriesSpec& spec) {
  const auto unit = parse_unit(spec.unit, spec.measure);
  if (!unit) return unit.error();
  auto table = CsvTable::open(text, spec.file.string());
  if (!table) return table.error();
  const auto time_at = find_time_column(*table, spec);
  if (!time_at) return time_at.error();
  const auto value_at = table->column(spec.column);
  if (!value_at) return value_at.error();

  SeriesRowReader reader(*table, spec, *unit, *time_at, *value_at);
  reader.read();
  if (!reader.problems().empty()) return reader.problems().as_error();
  auto series = close_gaps(reader.rows(), spec, table->columns()[*time_at]);
  if (!series) return series;
  series->currency = unit->currency;
  if (spec.after_end == AfterEnd::repeat) return repeat_end(std::move(*series), spec);
  return series;
}

Result<Series> read_series(const SeriesSpec& spec) {
  const auto text = read_file(spec.file);
  if (!text) return text.error();
  return parse_series(*text, spec);
}

}  // namespace penstock
