#include "io/signals/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "io/signals/gaps.h"
#include "io/text/csv.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {
namespace {

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
class RowReader {
 public:
  RowReader(CsvTable& table, const SeriesSpec& spec, Unit unit, std::size_t time_at,
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

  RowReader reader(*table, spec, *unit, *time_at, *value_at);
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
