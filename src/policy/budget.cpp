#include "policy/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace penstock {
namespace {

struct Unit {
  std::string_view name;
  double joules;
};
constexpr std::array kEnergies{Unit{"Wh", 3.6e3},   Unit{"kWh", 3.6e6}, Unit{"MWh", 3.6e9},
                               Unit{"GWh", 3.6e12}, Unit{"J", 1},       Unit{"MJ", 1e6}};
constexpr std::array kTimes{Unit{"h", 3600}, Unit{"d", 86400}, Unit{"day", 86400}, Unit{"min", 60},
                            Unit{"s", 1}};

std::optional<double> factor_named(std::string_view name, std::span<const Unit> units) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.joules;
  return std::nullopt;
}

constexpr std::string_view kPossible =
    "possible: an energy by time such as '40 kWh/h', or for the whole run such as '900 kWh'";

Error refuse(const std::string& text, std::string_view why) {
  return {fmt::format("energy_budget: '{}' {}; {}", text, why, kPossible)};
}

}  // namespace

Result<BudgetSpec> parse_budget(const std::string& text, Duration window,
                                std::optional<Duration> horizon) {
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, amount);
  if (error != std::errc()) return refuse(text, "does not begin with a number");
  if (!(amount > 0) || !std::isfinite(amount)) return refuse(text, "is not more than nothing");
  std::string_view unit(after, static_cast<std::size_t>(end - after));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const std::size_t slash = std::min(unit.find('/'), unit.size());
  const auto energy = factor_named(unit.substr(0, slash), kEnergies);
  if (!energy) return refuse(text, "has no unit of energy that is known");
  if (slash == unit.size()) return BudgetSpec{Joules(amount * *energy), std::nullopt, horizon};
  const auto time = factor_named(unit.substr(slash + 1), kTimes);
  if (!time) return refuse(text, "has no unit of time that is known");
  return BudgetSpec{Joules(amount * *energy / *time * seconds(window)), window, std::nullopt};
}

Budget::Budget(const BudgetSpec& spec, Time start, Watts floor)
    : spec_(spec), start_(start), floor_(spec.window ? floor : Watts{}) {
  // As if the floor had been drawn before: what falls out of the window later is never less.
  if (spec.window) readings_.push_back({start - *spec.window, Joules{} - floor_ * *spec.window});
  readings_.push_back({start, Joules{}});
}

void Budget::meter(Time now, Joules used) {
  const Reading& last = readings_.back();
  if (now == last.when) return;
  const Joules more = std::max(used - metered_, floor_ * (now - last.when));
  metered_ = used;
  readings_.push_back({now, last.used + more});
  const Time oldest = now - spec_.window.value_or(Duration::zero());
  while (readings_.size() > 2 && readings_[1].when <= oldest) readings_.pop_front();
}

Joules Budget::used_at(Time when) const {
  if (when <= readings_.front().when) return readings_.front().used;
  const auto after =
      std::ranges::lower_bound(readings_, when, {}, [](const Reading& r) { return r.when; });
  if (after == readings_.end()) return readings_.back().used;
  const Reading& before = *(after - 1);
  const double part =
      (when - before.when) / std::chrono::duration<double, std::milli>(after->when - before.when);
  return before.used + (after->used - before.used) * part;
}

Watts Budget::cap(Duration slot) const {
  const Reading& now = readings_.back();
  if (!spec_.window) return left() / slot;
  // What falls out of the window may be used again; an even draw that a whole window can hold
  // is good for ever.
  slot = std::min(slot, *spec_.window);
  const Time begin = now.when - *spec_.window;
  const Joules until_begin = used_at(begin);
  const Joules credit = spec_.amount - (now.used - until_begin);
  const auto cap_until = [&](Duration ahead) {
    return (credit + used_at(begin + ahead) - until_begin) / ahead;
  };
  Watts cap = cap_until(slot);
  for (const Reading& reading : readings_)
    if (reading.when > begin && reading.when < begin + slot)
      cap = std::min(cap, cap_until(reading.when - begin));
  return cap;
}

bool Budget::may_recover() const {
  const Time now = readings_.back().when;
  if (!spec_.window) return false;
  // Once the window has seen nothing but an even draw, it will see nothing else.
  const Joules used = readings_.back().used - used_at(now - *spec_.window);
  const Reading& before = readings_[readings_.size() > 1 ? readings_.size() - 2 : 0];
  const Watts draw =
      (readings_.back().used - before.used) / std::max(now - before.when, Duration(1));
  return used > draw * *spec_.window * 1.000001;
}

Duration Budget::ahead() const {
  if (!spec_.horizon) return Duration::zero();
  return std::max(start_ + *spec_.horizon - readings_.back().when, Duration::zero());
}

Joules Budget::left() const {
  if (spec_.window) return Joules(std::numeric_limits<double>::infinity());
  return spec_.amount - metered_;
}

}  // namespace penstock
