#include "learn/mars/history.h"

#include <algorithm>

namespace penstock {

void History::saw(const Arrival& arrival) {
  if (arrivals_.size() < remembered_) {
    arrivals_.push_back(arrival);
    return;
  }
  arrivals_[next_arrival_] = arrival;
  next_arrival_ = (next_arrival_ + 1) % remembered_;
}

void History::saw_end(double part) {
  if (parts_.size() < remembered_) {
    parts_.push_back(part);
  } else {
    sorted_.erase(std::ranges::lower_bound(sorted_, parts_[next_part_]));
    parts_[next_part_] = part;
    next_part_ = (next_part_ + 1) % remembered_;
  }
  sorted_.insert(std::ranges::upper_bound(sorted_, part), part);
}

Duration History::may_run(Duration requested, Duration already, double uniform) const {
  const double asked = seconds(std::max<Duration>(requested, std::chrono::milliseconds(1)));
  const auto longer = std::ranges::upper_bound(sorted_, seconds(already) / asked);
  const auto left = static_cast<double>(sorted_.end() - longer);
  if (left == 0) return std::max(requested, already);
  const double part = *(longer + static_cast<std::ptrdiff_t>(uniform * left));
  return std::max<Duration>(round_duration(asked * part), std::chrono::milliseconds(1));
}

std::vector<History::Arrival> History::may_come(Time now, std::size_t count, Rng& rng) const {
  std::vector<Arrival> coming;
  if (arrivals_.size() < 2) return coming;
  count = std::min(count, arrivals_.size() - 1);
  const std::size_t oldest = arrivals_.size() < remembered_ ? 0 : next_arrival_;
  const auto at = [&](std::size_t i) -> const Arrival& {
    return arrivals_[(oldest + i) % arrivals_.size()];
  };
  const std::size_t first = rng.below(arrivals_.size() - count);
  for (std::size_t i = 1; i <= count; ++i) {
    Arrival arrival = at(first + i);
    arrival.when =
        now + std::max<Duration>(arrival.when - at(first).when, std::chrono::milliseconds(1));
    coming.push_back(arrival);
  }
  return coming;
}

}  // namespace penstock
