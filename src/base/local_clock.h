#pragma once

#include "base/time.h"

namespace penstock {

/// By which rule clocks are put forward in summer, by an hour. `eu`: from the last Sunday of March
/// to the last of October, at 01:00 UTC (since 1996); `us`: from the second Sunday of March to the
/// first of November, at 02:00 by the clock (since 2007).
enum class Daylight { none, eu, us };

/// What clocks on the wall show somewhere. From UTC to them every instant has one answer; the other
/// way some have two, and some none.
struct LocalClock {
  Duration ahead{};  ///< of UTC, in winter
  Daylight daylight = Daylight::none;

  /// How far the clock is ahead of UTC at an instant.
  Duration ahead_at(Time t) const;
  /// What the clock shows, as if that were UTC.
  Time shown_at(Time t) const { return t + ahead_at(t); }
  /// When the clock shows this. Of the two instants in autumn it is the first; what is skipped in
  /// spring is the same length of time after the change as it says.
  Time when(Time shown) const;

  friend bool operator==(const LocalClock&, const LocalClock&) = default;
};

}  // namespace penstock
