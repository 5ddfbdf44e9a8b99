#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "model/signal.h"
#include "model/state.h"

namespace penstock {

/// A value for each hour of the day, in UTC.
using ByHour = std::array<double, 24>;

/// GPU-hours that jobs hold at each site, by the hour of the day in UTC at which they do.
class HourlyUse {
 public:
  HourlyUse(std::size_t sites, Time start) : until_(start), sites_(sites) {}

  /// `state` has held since the last call, or since the start, until `now`.
  void hold(Time now, const State& state);

  std::span<const ByHour> sites() const { return sites_; }

 private:
  Time until_;
  std::vector<ByHour> sites_;  ///< indexed by SiteId
};

/// The mean of a signal at each hour of the day over [from, to), at least an hour apart: an hour
/// that does not come up there has the mean of all.
template <class Q>
ByHour mean_by_hour(const Signal<Q>& signal, Time from, Time to) {
  ByHour sums{};
  ByHour lengths{};
  for (Time at = from; at < to;) {
    const auto hour = std::chrono::floor<std::chrono::hours>(at);
    const Time next = std::min<Time>(to, hour + std::chrono::hours(1));
    const auto of_day = (hour - std::chrono::floor<std::chrono::days>(at)).count();
    sums.at(static_cast<std::size_t>(of_day)) += signal.integral(at, next);
    lengths.at(static_cast<std::size_t>(of_day)) += seconds(next - at);
    at = next;
  }
  const double all = signal.mean(from, to).value();
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums.at(i) = lengths.at(i) > 0 ? sums.at(i) / lengths.at(i) : all;
  return sums;
}

}  // namespace penstock
