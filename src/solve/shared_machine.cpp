#include "solve/shared_machine.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace penstock {

SharedMachine::SharedMachine(std::span<const BoundedJob> jobs) : jobs_(jobs), order_(jobs.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return jobs_[i].ready; });
}

void SharedMachine::serve(std::vector<double> sizes) {
  sizes_ = std::move(sizes);
  lay_out();
  find_worth();
}

void SharedMachine::lay_out() {
  struct Waiting {
    double size = 0;
    std::uint32_t job = 0;
    double left = 0;
    bool operator<(const Waiting& other) const {  // the smallest on top
      return std::pair(size, job) > std::pair(other.size, other.job);
    }
  };
  stretches_.clear();
  std::priority_queue<Waiting> waiting;
  double now = 0;
  for (std::size_t next = 0; next < order_.size() || !waiting.empty();) {
    if (waiting.empty()) now = std::max(now, jobs_[order_[next]].ready);
    for (; next < order_.size() && jobs_[order_[next]].ready <= now; ++next)
      if (sizes_[order_[next]] > 0)
        waiting.push({sizes_[order_[next]], order_[next], sizes_[order_[next]]});
    if (waiting.empty()) continue;
    Waiting first = waiting.top();
    waiting.pop();
    const double until = next < order_.size() ? jobs_[order_[next]].ready : kUnbounded;
    const bool done = now + first.left <= until;
    Stretch stretch{
        .from = now, .to = done ? now + first.left : until, .job = first.job, .ends_job = done};
    if (done && !waiting.empty()) stretch.next = waiting.top().job;
    first.left -= stretch.to - now;
    now = stretch.to;
    stretches_.push_back(stretch);
    if (!done) waiting.push(first);
  }
}

/// Backwards. While a job is served, a second later is worth so much less that the job could as
/// well be served then; when it is done, the machine is worth to it what it is to the next.
void SharedMachine::find_worth() {
  std::vector<double> mean(sizes_.size(), 0.0);  // by job: t / size + worth(t) while it is served
  worth_ = 0;
  for (std::size_t i = stretches_.size(); i-- > 0;) {
    Stretch& stretch = stretches_[i];
    const double size = sizes_[stretch.job];
    if (stretch.ends_job) {
      double worth = 0;
      if (stretch.next != kNobody)
        worth = std::max(0.0, mean[stretch.next] - stretch.to / sizes_[stretch.next]);
      mean[stretch.job] = stretch.to / size + worth;
    }
    stretch.worth_from = std::max(0.0, mean[stretch.job] - stretch.from / size);
    stretch.worth_to = std::max(0.0, mean[stretch.job] - stretch.to / size);
    worth_ += (stretch.worth_from + stretch.worth_to) / 2 * (stretch.to - stretch.from);
  }
}

SharedMachine::Stretch SharedMachine::part_from(const Stretch& stretch, double from) {
  Stretch part = stretch;
  const double fall = stretch.worth_from - stretch.worth_to;
  part.worth_from = stretch.worth_to + fall * (stretch.to - from) / (stretch.to - stretch.from);
  part.from = from;
  return part;
}

}  // namespace penstock
