#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/signals/series.h"

namespace penstock {

/// One row of a series as its file has it.
struct SeriesRow {
  Time from{};
  std::uint64_t line = 0;
  std::optional<double> value{};
};

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

/// Rows in order of time as a series without holes, filled as `spec.gap` says.
/// Empty cells before the first and behind the last value are left out.
Result<Series> close_gaps(std::span<const SeriesRow> rows, const SeriesSpec& spec,
                          const std::string& time_column);

/// The series followed by its last whole week, or day, for kRepeated.
Result<Series> repeat_end(Series series, const SeriesSpec& spec);

}  // namespace penstock
