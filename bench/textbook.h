#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace penstock {

/// EASY backfilling as the textbook has it, counting GPUs only: the queue is a list
/// that is walked at every event. The baseline of bench/speed.cpp.
class TextbookEasy {
 public:
  explicit TextbookEasy(std::uint32_t gpus) : free_(gpus) {}

  /// The mean completion time in seconds.
  double run(const std::vector<TracedJob>& jobs) {
    std::size_t next = 0;
    while (next < jobs.size() || !finishes_.empty()) {
      const Time submission = next < jobs.size() ? jobs[next].job.submitted : Time::max();
      const Time finish = finishes_.empty() ? Time::max() : finishes_.top().first;
      now_ = std::min(submission, finish);
      finish_jobs();
      for (; next < jobs.size() && jobs[next].job.submitted == now_; ++next)
        queue_.push_back(&jobs[next]);
      schedule();
    }
    return completion_ / static_cast<double>(jobs.size());
  }

 private:
  using Finish = std::pair<Time, const TracedJob*>;

  void finish_jobs() {
    for (; !finishes_.empty() && finishes_.top().first == now_; finishes_.pop()) {
      const TracedJob& done = *finishes_.top().second;
      free_ += done.job.gpus;
      believed_.erase(believed_.find({now_ - done.actual + done.job.requested, done.job.gpus}));
    }
  }

  void start(const TracedJob& traced) {
    free_ -= traced.job.gpus;
    believed_.emplace(now_ + traced.job.requested, traced.job.gpus);
    finishes_.emplace(now_ + traced.actual, &traced);
    completion_ += seconds(now_ + traced.actual - traced.job.submitted);
  }

  void schedule() {
    while (!queue_.empty() && queue_.front()->job.gpus <= free_) {
      start(*queue_.front());
      queue_.pop_front();
    }
    if (!queue_.empty() && free_ > 0) backfill();
  }

  /// Starts jobs behind the first that do not delay it.
  void backfill() {
    std::uint32_t later = free_;
    Time shadow{};
    for (const auto& [end, size] : believed_) {  // all that end at the shadow time count
      if (later >= queue_.front()->job.gpus && end != shadow) break;
      later += size;
      shadow = end;
    }
    std::uint32_t extra = later - queue_.front()->job.gpus;
    for (auto at = std::next(queue_.begin()); at != queue_.end() && free_ > 0;) {
      const Job& job = (*at)->job;
      const bool ends_before = now_ + job.requested <= shadow;
      if (job.gpus > free_ || (!ends_before && job.gpus > extra)) {
        ++at;
        continue;
      }
      if (!ends_before) extra -= job.gpus;
      start(**at);
      at = queue_.erase(at);
    }
  }

  std::multiset<std::pair<Time, std::uint32_t>> believed_;  ///< believed end, GPUs
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> finishes_;
  std::list<const TracedJob*> queue_;
  std::uint32_t free_;
  double completion_ = 0;
  Time now_{};
};

}  // namespace penstock
