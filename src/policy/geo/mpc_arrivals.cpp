#include "policy/geo/mpc_arrivals.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

std::size_t hour_of_day(Time t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  return static_cast<std::size_t>((t - day) / std::chrono::hours(1));
}

}  // namespace

void MpcArrivals::saw(Time now, std::span<const Demand> demands) {
  if (demands.empty()) return;
  if (!any_) first_ = now;
  any_ = true;
  std::vector<SiteId> sites;
  for (const Demand& demand : demands) sites.push_back(demand.site);
  add_to(kinds_[sites].by_hour[hour_of_day(now)], demands);
}

/// On how many days until now there was the hour of the day that `ahead` is in.
double MpcArrivals::days_with_hour(Time ahead, Time now) const {
  const Time hour = std::chrono::floor<std::chrono::hours>(ahead);
  const Time last = hour - (hour - now + kDay - Duration(1)) / kDay * kDay;
  const Time first = std::chrono::floor<std::chrono::hours>(first_);
  return last < first ? 1 : 1 + static_cast<double>((last - first) / kDay);
}

void MpcArrivals::foretell(const Steps& steps, Time now, std::vector<MpcGroup>& groups) const {
  for (const auto& [sites, kind] : kinds_)
    for (std::uint32_t i = 1; i < steps.count; ++i) {
      const Time from = steps.begin + i * steps.length;
      const MpcGroup& seen = kind.by_hour[hour_of_day(from)];
      if (seen.jobs == 0) continue;
      const double part = seconds(steps.length) / 3600 / days_with_hour(from, now);
      MpcGroup group{.demands = seen.demands,
                     .first = seconds(from - steps.begin) / 3600,
                     .jobs = seen.jobs * part};
      for (Demand& demand : group.demands) {
        demand.latest += group.first;
        demand.kilowatts *= part;
        demand.transfer *= part;
        demand.gpus *= part;
      }
      groups.push_back(std::move(group));
    }
}

}  // namespace penstock
