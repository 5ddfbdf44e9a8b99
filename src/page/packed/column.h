#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace penstock {

/// What stands for an undefined value in a column of whole numbers.
inline constexpr std::int32_t kNoWhole = INT32_MIN;

/// A column as a page has it: bytes in one of the ways that docs/formats/report.md names.
struct PackedColumn {
  std::string_view encoding{};  ///< "const" if all rows have one value; then there are no bytes
  std::size_t rows = 0;
  std::string bytes{};
  std::optional<double> value{};  ///< of "const"; nothing if it is undefined
};

/// Whole numbers in as few bytes as hold them all: one if none is undefined.
PackedColumn pack_whole(std::span<const std::int32_t> values);
/// As four bytes each, or two: for columns that readers expect so.
PackedColumn pack_wide(std::span<const std::int32_t> values);
/// Whole numbers that seldom fall, as differences from one to the next.
PackedColumn pack_growing(std::span<const std::int32_t> values);
/// Numbers to about four digits, which is what a picture or a table shows; NaN is undefined.
PackedColumn pack_numbers(std::span<const float> values);

/// What one is in a page's columns of time: a millisecond, or a second where no time needs more or
/// milliseconds would not fit.
class TimeUnit {
 public:
  explicit TimeUnit(Duration unit = Duration(1000)) : unit_(unit) {}

  double seconds_each() const { return seconds(unit_); }
  bool rounds() const { return unit_ > Duration(1); }
  /// The nearest whole number of units; undefined where there is none or it does not fit.
  std::int32_t of(std::optional<Duration> time) const {
    if (!time) return kNoWhole;
    const std::int64_t ms = time->count();
    const std::int64_t half = unit_.count() / 2;
    const std::int64_t units = (ms + (ms < 0 ? -half : half)) / unit_.count();
    return units > INT32_MAX || units <= INT32_MIN ? kNoWhole : static_cast<std::int32_t>(units);
  }

 private:
  Duration unit_;
};

/// Looks at times and says which unit suits them all.
class UnitChoice {
 public:
  void see(Duration time) {
    fraction_ = fraction_ || time.count() % 1000 != 0;
    latest_ = std::max(latest_, time);
  }
  void see(const UnitChoice& other) {
    fraction_ = fraction_ || other.fraction_;
    latest_ = std::max(latest_, other.latest_);
  }
  bool is_exact() const { return !fraction_ || fits_ms(); }
  bool fits() const { return latest_ <= Duration(std::int64_t{INT32_MAX} * 1000); }
  TimeUnit unit() const { return TimeUnit(Duration(fraction_ && fits_ms() ? 1 : 1000)); }

 private:
  bool fits_ms() const { return latest_ <= Duration(INT32_MAX); }

  bool fraction_ = false;
  Duration latest_{};
};

}  // namespace penstock
