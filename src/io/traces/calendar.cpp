#include "io/traces/calendar.h"

#include <array>

namespace penstock {
namespace {

/// The two digits at `at`, or -1.
int two_digits(std::string_view text, std::size_t at) {
  const int tens = text[at] - '0';
  const int ones = text[at + 1] - '0';
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

}  // namespace

std::optional<Time> parse_date_time(std::string_view text) {
  constexpr std::size_t kLength = std::string_view("2017-10-09 07:01:55").size();
  if (text.size() != kLength || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
      text[16] != ':' || (text[10] != ' ' && text[10] != 'T'))
    return parse_time(text);
  const std::array<int, 7> parts{two_digits(text, 0), two_digits(text, 2),  two_digits(text, 5),
                                 two_digits(text, 8), two_digits(text, 11), two_digits(text, 14),
                                 two_digits(text, 17)};
  for (const int part : parts)
    if (part < 0) return std::nullopt;
  const auto [century, year, month, day, hour, minute, second] = parts;
  const std::chrono::year_month_day date{std::chrono::year(century * 100 + year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 24 || minute > 59 || second > 60) return std::nullopt;
  return Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace penstock
