#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "io/text/csv.h"

namespace penstock {

/// A column that older files may lack.
using MaybeColumn = std::optional<std::size_t>;

/// Reads the cells of a file's rows as what they should be, and keeps the first problem: the
/// caller reads a whole row and then asks.
class RowReader {
 public:
  explicit RowReader(CsvRows& rows) : rows_(rows) {}

  /// A column that must be there.
  std::size_t need(std::string_view name);
  MaybeColumn find(std::string_view name) const { return rows_.find(name); }

  /// Goes to the next row; false at the end, and after a problem.
  bool next();

  std::string_view text(MaybeColumn column) const {
    return column ? rows_.cell(*column) : std::string_view{};
  }
  std::uint32_t count(std::size_t column);
  /// Seconds with up to three decimals.
  Duration time(std::size_t column);
  /// Nothing if the cell is empty or the column absent.
  std::optional<Duration> maybe_time(MaybeColumn column);
  /// NaN, which stands for what is undefined, if the cell is empty or the column absent.
  float number(MaybeColumn column);

  void refuse(std::size_t column, std::string_view what);
  const std::optional<Error>& problem() const { return problem_; }

 private:
  CsvRows& rows_;
  std::optional<Error> problem_{};
};

/// Whole milliseconds of "90", "0.250" or "-3"; nothing if it is no such time.
std::optional<Duration> parse_seconds(std::string_view text);

inline constexpr float kUndefined = std::numeric_limits<float>::quiet_NaN();

/// Where names stand in a list, which must outlive it; of equal ones the first.
class NameIndex {
 public:
  explicit NameIndex(std::span<const std::string> names) {
    for (std::uint32_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
  }
  std::optional<std::uint32_t> of(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

}  // namespace penstock
