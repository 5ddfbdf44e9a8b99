#include "learn/mars/history.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr Duration kLeastTime = std::chrono::milliseconds(1);

double part_run(const TracedJob& traced) {
  return seconds(traced.actual) / seconds(std::max(traced.job.requested, kLeastTime));
}

/// How many jobs before the `at`-th its parents came, of those that came before it in the row.
std::vector<std::uint32_t> parents_back_in(std::span<const TracedJob> row, std::size_t at) {
  std::vector<std::uint32_t> back;
  for (const JobId parent : row[at].job.parents)
    for (std::size_t i = at; i-- > 0;)
      if (row[i].job.id == parent) {
        back.push_back(static_cast<std::uint32_t>(at - i));
        break;
      }
  return back;
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
      past.arrivals.push_back(
          {gap, job.gpus, job.requested, job.gpu_types, parents_back_in(in_a_row, i)});
      past.parts.push_back(part_run(in_a_row[i]));
    }
  }
  return past;
}

History::History(std::size_t remembered, const PastJobs& before) : remembered_(remembered) {
  for (const Arrival& arrival : before.arrivals) remember(arrival, JobId{~0u});
  for (const double part : before.parts) add_end(part);
}

void History::add_arrival(const Job& job) {
  const Duration gap = last_ ? job.submitted - *last_ : Duration::zero();
  last_ = job.submitted;
  remember({gap, job.gpus, job.requested, job.gpu_types, steps_back_to(job.parents)}, job.id);
}

void History::remember(Arrival arrival, JobId job) {
  if (arrivals_.size() < remembered_) {
    arrivals_.push_back(std::move(arrival));
    jobs_.push_back(job);
    return;
  }
  arrivals_[oldest_] = std::move(arrival);
  jobs_[oldest_] = job;
  oldest_ = (oldest_ + 1) % remembered_;
}

std::vector<std::uint32_t> History::steps_back_to(std::span<const JobId> parents) const {
  std::vector<std::uint32_t> back;
  for (const JobId parent : parents)
    for (std::size_t steps = 1; steps <= jobs_.size(); ++steps)
      if (jobs_[(oldest_ + jobs_.size() - steps) % jobs_.size()] == parent) {
        back.push_back(static_cast<std::uint32_t>(steps));
        break;
      }
  return back;
}

void History::add_end(double part) {
  if (parts_.size() < remembered_) {
    parts_.push_back(part);
  } else {
    sorted_.erase(std::ranges::lower_bound(sorted_, parts_[oldest_part_]));
    parts_[oldest_part_] = part;
    oldest_part_ = (oldest_part_ + 1) % remembered_;
  }
  sorted_.insert(std::ranges::upper_bound(sorted_, part), part);
}

Duration History::sample_run_time(Duration requested, Duration already, double uniform) const {
  const double asked = seconds(std::max(requested, kLeastTime));
  const auto longer = std::ranges::upper_bound(sorted_, seconds(already) / asked);
  const auto left = static_cast<double>(sorted_.end() - longer);
  if (left == 0) return std::max({requested, already, kLeastTime});
  const double part = *(longer + static_cast<std::ptrdiff_t>(uniform * left));
  return std::max(round_duration(asked * part), kLeastTime);
}

std::optional<std::size_t> History::sample_next_after(Duration idle_time, Rng& rng) const {
  std::vector<std::size_t> longer;
  for (std::size_t place = 0; place < arrivals_.size(); ++place)
    if (at(place).gap > idle_time) longer.push_back(place);
  if (longer.empty()) return std::nullopt;
  return longer[rng.below(longer.size())];
}

std::vector<History::Coming> History::sample_arrivals(Time now, std::size_t count, Rng& rng) const {
  std::vector<Coming> coming;
  count = std::min(count, arrivals_.size());
  if (count == 0) return coming;
  const Duration idle_time = now - last_.value_or(now);
  const auto known =
      idle_time > Duration::zero() ? sample_next_after(idle_time, rng) : std::nullopt;
  const std::size_t first = known ? *known : rng.below(arrivals_.size());
  Time when = now - idle_time;
  if (idle_time > Duration::zero() && !known) when = now + idle_time - at(first).gap;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = (first + i) % arrivals_.size();
    when = std::max(when + at(place).gap, now + kLeastTime);
    coming.push_back({when, at(place)});
    const std::size_t before = std::min(i, place);
    std::erase_if(coming.back().what.parents_back,
                  [&](std::uint32_t back) { return back > before; });
  }
  return coming;
}

}  // namespace penstock
