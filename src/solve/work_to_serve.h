#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <utility>

#include "solve/bounded_jobs.h"
#include "solve/least_use.h"

namespace penstock {

/// What is left of a job for one machine that serves the smallest first.
struct WaitingWork {
  double size = 0;  ///< of the whole job
  std::uint32_t job = 0;
  double left = 0;
  bool operator<(const WaitingWork& other) const {  // priority_queue keeps the smallest on top
    return std::pair(size, job) > std::pair(other.size, other.job);
  }
};

/// Jobs for one machine, of sizes by their numbers, that wait once they are ready. `order` is that
/// in which they get ready, and names those to be served.
class WorkToServe {
 public:
  WorkToServe(std::span<const BoundedJob> jobs, std::span<const std::uint32_t> order,
              std::span<const double> sizes)
      : jobs_(jobs), order_(order), sizes_(sizes) {}

  bool is_done() const { return next_ == order_.size() && waiting.empty(); }
  /// When the next job gets ready; never if none does.
  double next_ready() const {
    return next_ < order_.size() ? jobs_[order_[next_]].ready : kUnbounded;
  }
  /// Lets all wait that are ready by `now`.
  void let_in(double now) {
    for (; next_ < order_.size() && next_ready() <= now; ++next_)
      waiting.push({sizes_[order_[next_]], order_[next_], sizes_[order_[next_]]});
  }

  std::priority_queue<WaitingWork> waiting;

 private:
  std::span<const BoundedJob> jobs_;
  std::span<const std::uint32_t> order_;
  std::span<const double> sizes_;
  std::size_t next_ = 0;
};

}  // namespace penstock
