#include "solve/windows.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

constexpr double kHour = 3600;

/// Windows begin at full hours, as prices do, so far as they are not shorter.
double since_full_hour(Time start, double width) {
  const double since = std::fmod(seconds(start.time_since_epoch()), std::min(width, kHour));
  return since < 0 ? since + std::min(width, kHour) : since;
}

/// Where the first series ends that may not be extended, or the longest run, if that is after the
/// earliest end.
double latest_end(const BoundedWorld& world, double makespan, const BoundSettings& settings) {
  double end = settings.longest ? seconds(*settings.longest) : kEndlessTime;
  for (const SiteSignals& site : world.signals)
    if (site.known_until) end = std::min(end, seconds(*site.known_until - world.start));
  return std::max(end, makespan);
}

}  // namespace

double TimeWindows::end(std::size_t window) const {
  return window + 1 < begin.size() ? begin[window + 1] : known_until;
}

std::size_t TimeWindows::at(double when) const {
  const auto after = std::ranges::upper_bound(begin, when);
  return after == begin.begin() ? 0 : static_cast<std::size_t>(after - begin.begin()) - 1;
}

TimeWindows windows_of(const BoundedWorld& world, std::span<const StepRate> rates, double makespan,
                       const BoundSettings& settings, double floor) {
  constexpr double kAhead = 2.5;  // runs that last longer than that are all alike
  const double least = std::max(1e-3, seconds(settings.window));
  const double horizon = makespan * kAhead + least;
  const double wanted = horizon / static_cast<double>(settings.most_windows);
  const double width = std::ceil(std::max(1.0, wanted / least)) * least;
  TimeWindows windows{.known_until = latest_end(world, makespan, settings)};
  windows.begin.push_back(0);
  for (double at = width - since_full_hour(world.start, width);
       at < std::min(horizon, windows.known_until); at += width)
    windows.begin.push_back(at);
  for (const StepRate& rate : rates) {
    windows.rates.emplace_back();
    for (std::size_t w = 0; w < windows.size(); ++w)
      windows.rates.back().push_back(
          std::max(floor, rate.least_rate(windows.begin[w], windows.end(w))));
  }
  windows.earliest_last = static_cast<std::uint32_t>(windows.at(makespan));
  return windows;
}

}  // namespace penstock
