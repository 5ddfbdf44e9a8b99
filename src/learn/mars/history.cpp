#include "learn/mars/history.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr Duration kLeast = std::chrono::milliseconds(1);

double part_run(const TracedJob& traced) {
  return seconds(traced.actual) / seconds(std::max(traced.job.requested, kLeast));
}

}  // namespace

PastJobs past_of(std::span<const TracedJob> jobs, std::size_t most) {
  constexpr std::size_t kRows = 8;
  const std::size_t rows = jobs.size() <= most ? 1 : std::min(kRows, most);
  const std::size_t length = rows == 1 ? jobs.size() : most / rows;
  PastJobs past;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto in_a_row = jobs.subspan(row * (jobs.size() / rows), length);
    for (std::size_t i = 0; i < in_a_row.size(); ++i) {
      const Job& job = in_a_row[i].job;
      const Duration gap =
          i == 0 ? Duration::zero() : job.submitted - in_a_row[i - 1].job.submitted;
      past.arrivals.push_back({gap, job.gpus, job.requested, job.gpu_types});
      past.parts.push_back(part_run(in_a_row[i]));
    }
  }
  return past;
}

History::History(std::size_t remembered, const PastJobs& before) : remembered_(remembered) {
  for (const Arrival& arrival : before.arrivals) remember(arrival);
  for (const double part : before.parts) saw_end(part);
}

void History::saw(const Job& job) {
  const Duration gap = last_ ? job.submitted - *last_ : Duration::zero();
  last_ = job.submitted;
  remember({gap, job.gpus, job.requested, job.gpu_types});
}

void History::remember(const Arrival& arrival) {
  if (arrivals_.size() < remembered_) {
    arrivals_.push_back(arrival);
    return;
  }
  arrivals_[oldest_] = arrival;
  oldest_ = (oldest_ + 1) % remembered_;
}

void History::saw_end(double part) {
  if (parts_.size() < remembered_) {
    parts_.push_back(part);
  } else {
    sorted_.erase(std::ranges::lower_bound(sorted_, parts_[oldest_part_]));
    parts_[oldest_part_] = part;
    oldest_part_ = (oldest_part_ + 1) % remembered_;
  }
  sorted_.insert(std::ranges::upper_bound(sorted_, part), part);
}

Duration History::may_run(Duration requested, Duration already, double uniform) const {
  const double asked = seconds(std::max(requested, kLeast));
  const auto longer = std::ranges::upper_bound(sorted_, seconds(already) / asked);
  const auto left = static_cast<double>(sorted_.end() - longer);
  if (left == 0) return std::max({requested, already, kLeast});
  const double part = *(longer + static_cast<std::ptrdiff_t>(uniform * left));
  return std::max(round_duration(asked * part), kLeast);
}

std::vector<History::Coming> History::may_come(Time now, std::size_t count, Rng& rng) const {
  std::vector<Coming> coming;
  count = std::min(count, arrivals_.size());
  if (count == 0) return coming;
  const std::size_t first = oldest_ + rng.below(arrivals_.size() - count + 1);
  Time when = now + kLeast;
  for (std::size_t i = 0; i < count; ++i) {
    const Arrival& arrival = arrivals_[(first + i) % arrivals_.size()];
    when += arrival.gap;
    coming.push_back({when, arrival});
  }
  return coming;
}

}  // namespace penstock
