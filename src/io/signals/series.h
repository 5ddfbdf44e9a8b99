#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/signals/unit.h"
#include "model/signal.h"

namespace penstock {

/// What is done about missing rows and empty cells.
enum class GapRule { error, hold, interpolate };

/// What is known behind the last row.
enum class AfterEnd {
  error,   ///< nothing: a run may not go there
  hold,    ///< the last value stays
  repeat,  ///< the last whole week, or day if there is no week, comes again and again
};

/// Which column of which file to read, and how.
struct SeriesSpec {
  std::filesystem::path file{};
  std::string column{};
  std::string unit{};
  std::string time_column{};  ///< empty to find it by its usual names
  GapRule gap = GapRule::error;
  AfterEnd after_end = AfterEnd::error;
  Measure measure = Measure::ratio;
  double lowest = -std::numeric_limits<double>::infinity();  ///< in the measure's own unit
};

/// A column of a file: its values in the measure's own unit, in order of time.
struct Series {
  struct Point {
    Time from{};
    double value = 0;
  };
  std::vector<Point> points{};
  Time end{};  ///< of the last row, which lasts as long as most rows do
  std::string currency{};
  std::vector<std::string> notes{};  ///< what was filled or left out
};

/// Reads a table with a head; `.gz` too. Rows must be in order of time. The
/// error holds one line per problem, at most a handful.
Result<Series> read_series(const SeriesSpec& spec);

/// Reads a series from text; `spec.file` is only for messages.
Result<Series> parse_series(std::string_view text, const SeriesSpec& spec);

/// How far AfterEnd::repeat goes on.
inline constexpr Duration kRepeated = std::chrono::hours(24 * 366 * 5);

template <class Q>
Signal<Q> signal_of(const Series& series) {
  std::vector<typename Signal<Q>::Step> steps;
  steps.reserve(series.points.size());
  for (const auto& point : series.points) steps.push_back({point.from, Q(point.value)});
  return Signal<Q>(std::move(steps));
}

/// The first few problems of one file, so that a broken one does not fill the screen.
class FirstProblems {
 public:
  void add(std::string problem) { lines_.push_back(std::move(problem)); }
  bool empty() const { return lines_.empty(); }
  bool is_full() const { return lines_.size() >= kMost; }
  Error as_error() const;

 private:
  static constexpr std::size_t kMost = 5;
  std::vector<std::string> lines_;
};

}  // namespace penstock
