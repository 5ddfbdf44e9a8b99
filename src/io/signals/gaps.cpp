#include "io/signals/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace penstock {
namespace {

/// More than this would be a slip in a time, not a hole or a pattern.
constexpr std::int64_t kMostMadeUp = 3'000'000;

constexpr std::string_view kWayOut = R"(; fill holes with gap = "hold" or gap = "interpolate")";
constexpr Duration kDay = std::chrono::hours(24);

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
          fmt::format("{}:{}: {}: is missing{}", file, rows[i].line, spec.column, kWayOut));
    if (i > 0 && rows[i].from - rows[i - 1].from > step)
      problems.add(fmt::format("{}:{}: {}: nothing between {} and {}, where rows are {} apart{}",
                               file, rows[i].line, time_column, format_time(rows[i - 1].from),
                               format_time(rows[i].from), format_duration(step), kWayOut));
  }
  return problems.as_error();
}

/// Walks over the rows and fills what lies between two values.
class Filler {
 public:
  Filler(GapRule rule, Duration step) : rule_(rule), step_(step) {}

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

}  // namespace

Error FirstProblems::as_error() const {
  std::string text = fmt::format("{}", fmt::join(lines_, "\n"));
  return {is_full() ? text + "\n… and perhaps more" : text};
}

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

  Filler filler(spec.gap, step);
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

Result<Series> repeat_end(Series series, const SeriesSpec& spec) {
  const Duration length = series.end - series.points.front().from;
  if (length < kDay)
    return Error{fmt::format(R"({}: {}: is {} long; after_end = "repeat" needs a whole day)",
                             spec.file.string(), spec.column, format_duration(length))};
  const Duration period = length < 7 * kDay ? kDay : 7 * kDay;
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

}  // namespace penstock
