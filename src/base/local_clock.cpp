#include "base/local_clock.h"

namespace penstock {
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
