#include "base/time.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace penstock {
namespace {

/// Takes digits from the front of a text, one field at a time.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool skip(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Exactly `digits` digits, as a number.
  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return std::nullopt;
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  /// A fraction of a second after its point, in whole milliseconds.
  std::optional<int> milliseconds() {
    int value = 0;
    int scale = 100;
    bool any = false;
    while (peek() >= '0' && peek() <= '9') {
      value += (peek() - '0') * scale;
      scale /= 10;
      any = true;
      rest_.remove_prefix(1);
    }
    return any ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::optional<Time> parse_date(Fields& fields) {
  const auto year = fields.number(4);
  if (!year || !fields.skip('-')) return std::nullopt;
  const auto month = fields.number(2);
  if (!month || !fields.skip('-')) return std::nullopt;
  const auto day = fields.number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Time(std::chrono::sys_days(date));
}

std::optional<Duration> parse_clock(Fields& fields) {
  const auto hour = fields.number(2);
  if (!hour || *hour > 24 || !fields.skip(':')) return std::nullopt;
  const auto minute = fields.number(2);
  if (!minute || *minute > 59) return std::nullopt;
  Duration clock = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  if (fields.skip(':')) {
    const auto second = fields.number(2);
    if (!second || *second > 60) return std::nullopt;
    clock += std::chrono::seconds(*second);
    if (fields.skip('.')) {
      const auto fraction = fields.milliseconds();
      if (!fraction) return std::nullopt;
      clock += Duration(*fraction);
    }
  }
  if (*hour == 24 && clock != std::chrono::days(1)) return std::nullopt;  // only as 24:00
  return clock;
}

std::optional<Duration> parse_zone(Fields& fields) {
  if (fields.done() || fields.skip('Z')) return Duration::zero();
  const int sign = fields.peek() == '-' ? -1 : 1;
  if (!fields.skip('+') && !fields.skip('-')) return std::nullopt;
  const auto hours = fields.number(2);
  if (!hours || *hours > 23) return std::nullopt;
  fields.skip(':');
  const auto minutes = fields.number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (std::chrono::hours(*hours) + std::chrono::minutes(*minutes));
}

/// Years that four digits can write.
bool is_writable(Time time) {
  using std::chrono::January, std::chrono::sys_days, std::chrono::year;
  return time >= sys_days(year(0) / January / 1) && time < sys_days(year(10000) / January / 1);
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
  Fields fields(text);
  auto time = parse_date(fields);
  if (!time || fields.done()) return time;
  if (!fields.skip('T') && !fields.skip(' ')) return std::nullopt;
  const auto clock = parse_clock(fields);
  if (!clock) return std::nullopt;
  const auto zone = parse_zone(fields);
  if (!zone || !fields.done()) return std::nullopt;
  *time += *clock - *zone;
  return is_writable(*time) ? time : std::nullopt;
}

std::string format_time(Time t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(t - day);
  std::array<char, 48> text{};
  int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string out(text.data(), static_cast<std::size_t>(length));
  if (clock.subseconds().count() != 0) {
    length = std::snprintf(text.data(), text.size(), ".%03d",
                           static_cast<int>(clock.subseconds().count()));
    out.append(text.data(), static_cast<std::size_t>(length));
  }
  return out + "Z";
}

std::optional<Duration> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr auto kUnits = std::to_array<Unit>({{"ms", 1e-3},
                                                      {"s", 1},
                                                      {"sec", 1},
                                                      {"min", 60},
                                                      {"h", 3600},
                                                      {"d", 86400},
                                                      {"days", 86400},
                                                      {"week", 604800},
                                                      {"weeks", 604800}});
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const Unit& known : kUnits)
    if (unit == known.name && number * known.seconds < 1e12)
      return round_duration(number * known.seconds);
  return std::nullopt;
}

namespace {

using std::chrono::hours;
using std::chrono::sys_days;
using std::chrono::year;

constexpr Duration kSummer = hours(1);

/// Summer time of one year, as instants.
struct Summer {
  Time from{};
  Time until{};
};

Summer summer_of(year y, const LocalClock& clock) {
  using namespace std::chrono;
  if (clock.daylight == Daylight::eu)
    return {sys_days(y / March / Sunday[last]) + hours(1),
            sys_days(y / October / Sunday[last]) + hours(1)};
  return {sys_days(y / March / Sunday[2]) + hours(2) - clock.ahead,
          sys_days(y / November / Sunday[1]) + hours(2) - clock.ahead - kSummer};
}

}  // namespace

Duration LocalClock::ahead_at(Time t) const {
  if (daylight == Daylight::none) return ahead;
  const auto day = std::chrono::floor<std::chrono::days>(t + ahead);
  const Summer summer = summer_of(std::chrono::year_month_day(day).year(), *this);
  return summer.from <= t && t < summer.until ? ahead + kSummer : ahead;
}

Time LocalClock::when(Time shown) const {
  const Time in_summer = shown - ahead - kSummer;
  if (shown_at(in_summer) == shown) return in_summer;
  return shown - ahead;
}

}  // namespace penstock
