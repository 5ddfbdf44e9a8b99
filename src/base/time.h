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

}  // namespace penstock
