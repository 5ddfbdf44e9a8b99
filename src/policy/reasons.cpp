#include "policy/reasons.h"

#include <fmt/format.h>

#include <chrono>

namespace penstock {

std::string clock_label(Time when, Time now) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(when - day));
  std::string time = fmt::format("{:02}:{:02}", clock.hours().count(), clock.minutes().count());
  if (clock.seconds().count() != 0) time += fmt::format(":{:02}", clock.seconds().count());
  time += "Z";
  if (day == std::chrono::floor<std::chrono::days>(now)) return time;
  return format_time(Time(day)).substr(0, 10) + " " + time;
}

std::string duration_label(Duration length) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86'400;
  const double s = seconds(length);
  if (s < 2 * kMinute) return fmt::format("{:.0f} s", s);
  if (s < 2 * kHour) return fmt::format("{:.0f} min", s / kMinute);
  if (s < 2 * kDay) return fmt::format("{:.1f} h", s / kHour);
  return fmt::format("{:.1f} d", s / kDay);
}

std::string gpus_label(std::uint32_t gpus) {
  return fmt::format("{} {}", gpus, gpus == 1 ? "GPU" : "GPUs");
}

std::string jobs_label(std::size_t jobs) {
  return fmt::format("{} {}", jobs, jobs == 1 ? "job" : "jobs");
}

}  // namespace penstock
