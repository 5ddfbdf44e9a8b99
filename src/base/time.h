#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// Time is whole milliseconds: instants compare exactly, so event order never
/// depends on rounding. Instants are UTC.
using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

inline constexpr double kSecondsPerHour = 3600;

constexpr double seconds(Duration d) {
  return static_cast<double>(d.count()) / 1e3;
}

/// The first whole millisecond not before `s` seconds have passed.
constexpr Duration ceil_duration(double s) {
  const auto whole = static_cast<std::int64_t>(s * 1e3);
  return Duration(static_cast<double>(whole) < s * 1e3 ? whole + 1 : whole);
}

/// The whole millisecond nearest to `s` seconds.
constexpr Duration round_duration(double s) {
  return Duration(static_cast<std::int64_t>(s * 1e3 + (s < 0 ? -0.5 : 0.5)));
}

/// Reads "2022-03-01", "2022-03-01T00:00Z", "2022-03-01 00:00:00" or with a
/// fraction of a second; nothing if it is not a date of the calendar. Without a
/// zone the time is taken as UTC; of zones only "Z" and "+hh:mm" are known.
std::optional<Time> parse_time(std::string_view text);

/// "2022-03-01T00:00:00Z", with milliseconds only if there are any.
std::string format_time(Time t);

/// Reads a length of time with its unit: "30 s", "10 min", "1.5 h", "3 d", "2 weeks",
/// "500 ms". Nothing if there is no unit or the number is negative or not finite.
std::optional<Duration> parse_duration(std::string_view text);

/// The rule of daylight saving time, one hour. `eu`: from the last Sunday of March to the last of
/// October, at 01:00 UTC (since 1996); `us`: from the second Sunday of March to the first of
/// November, at 02:00 by the clock (since 2007).
enum class Daylight { none, eu, us };

/// The local time of a place. Every instant in UTC has one local time; some local times belong to
/// two instants, and some to none.
struct LocalClock {
  Duration ahead{};  ///< of UTC, in winter
  Daylight daylight = Daylight::none;

  /// How far local time is ahead of UTC at an instant.
  Duration ahead_at(Time t) const;
  /// The local time at an instant, in the form of an instant in UTC.
  Time shown_at(Time t) const { return t + ahead_at(t); }
  /// The instant of a local time. Of two instants in autumn it is the first. A time that is skipped
  /// in spring counts from the change: where 02:00 becomes 03:00, 02:30 means 03:30.
  Time when(Time shown) const;

  friend bool operator==(const LocalClock&, const LocalClock&) = default;
};

}  // namespace penstock
