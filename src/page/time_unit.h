#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "page/packed_column.h"

namespace penstock {

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
