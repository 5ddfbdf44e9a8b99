#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace penstock {

/// EASY backfilling as the textbook has it, counting GPUs only: the queue is a list
/// that is walked at every event. The baseline of bench/speed.cpp. Returns the mean
/// completion time in seconds.
inline double textbook_easy(const std::vector<TracedJob>& jobs, std::uint32_t gpus) {
  using Ends = std::multiset<std::pair<Time, std::uint32_t>>;  // believed end, GPUs
  struct Waiting {
    const TracedJob* job;
  };
  Ends believed;
  std::priority_queue<std::pair<Time, const TracedJob*>,
                      std::vector<std::pair<Time, const TracedJob*>>, std::greater<>>
      finishes;
  std::list<Waiting> queue;
  std::uint32_t free = gpus;
  double completion = 0;
  Time now{};

  const auto start = [&](const TracedJob& traced) {
    free -= traced.job.gpus;
    believed.emplace(now + traced.job.requested, traced.job.gpus);
    finishes.emplace(now + traced.actual, &traced);
    completion += seconds(now + traced.actual - traced.job.submitted);
  };
  const auto schedule = [&] {
    while (!queue.empty() && queue.front().job->job.gpus <= free) {
      start(*queue.front().job);
      queue.pop_front();
    }
    if (queue.empty() || free == 0) return;
    std::uint32_t later = free;
    Time shadow{};
    for (const auto& [end, size] : believed) {  // all that end at the shadow time count
      if (later >= queue.front().job->job.gpus && end != shadow) break;
      later += size;
      shadow = end;
    }
    std::uint32_t extra = later - queue.front().job->job.gpus;
    for (auto at = std::next(queue.begin()); at != queue.end() && free > 0;) {
      const Job& job = at->job->job;
      const bool ends_before = now + job.requested <= shadow;
      if (job.gpus > free || (!ends_before && job.gpus > extra)) {
        ++at;
        continue;
      }
      if (!ends_before) extra -= job.gpus;
      start(*at->job);
      at = queue.erase(at);
    }
  };

  std::size_t next = 0;
  while (next < jobs.size() || !finishes.empty()) {
    const Time submission = next < jobs.size() ? jobs[next].job.submitted : Time::max();
    const Time finish = finishes.empty() ? Time::max() : finishes.top().first;
    now = std::min(submission, finish);
    for (; !finishes.empty() && finishes.top().first == now; finishes.pop()) {
      const TracedJob& done = *finishes.top().second;
      free += done.job.gpus;
      believed.erase(believed.find({now - done.actual + done.job.requested, done.job.gpus}));
    }
    for (; next < jobs.size() && jobs[next].job.submitted == now; ++next)
      queue.push_back({&jobs[next]});
    schedule();
  }
  return completion / static_cast<double>(jobs.size());
}

}  // namespace penstock
