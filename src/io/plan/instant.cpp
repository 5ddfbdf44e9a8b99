#include "io/plan/instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/time.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kWeekdays =
    std::to_array<std::string_view>({"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"});
constexpr auto kMonths = std::to_array<std::string_view>(
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});

/// "Tue 21 Jul 2020, 17.56.59" in the form that parse_time() knows; nothing if it is none. The
/// name of the day says nothing new and may be wrong.
std::optional<std::string> as_iso(std::string_view text) {
  constexpr std::string_view kPattern = "??? ?? ??? ????, ??.??.??";
  if (text.size() != kPattern.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kPattern[i] != '?' && kPattern[i] != text[i]) return std::nullopt;
  if (std::ranges::find(kWeekdays, text.substr(0, 3)) == kWeekdays.end()) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(7, 3));
  if (month == kMonths.end()) return std::nullopt;
  return fmt::format("{}-{:02}-{}T{}:{}:{}", text.substr(11, 4), month - kMonths.begin() + 1,
                     text.substr(4, 2), text.substr(17, 2), text.substr(20, 2), text.substr(23));
}

std::string weekday_text(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format(
      "{} {:02} {} {:04}, {:02}.{:02}.{:02}", kWeekdays[std::chrono::weekday(day).c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count());
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
  const auto named = as_iso(text);
  const auto time = parse_time(named ? *named : text);
  if (!time) return std::nullopt;
  return Instant{.seconds = seconds(time->time_since_epoch()),
                 .form = named ? InstantForm::weekday : InstantForm::iso};
}

std::string instant_json(const Instant& instant) {
  if (instant.form == InstantForm::seconds) return fmt::format("{}", instant.seconds);
  const Time time(round_duration(instant.seconds));
  if (instant.form == InstantForm::iso) return '"' + format_time(time) + '"';
  return '"' + weekday_text(std::chrono::round<std::chrono::seconds>(time)) + '"';
}

}  // namespace penstock
