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

namespace {

struct WaitingWork {
  double size = 0;
  std::uint32_t job = 0;
  double left = 0;
  bool operator<(const WaitingWork& other) const {  // the smallest on top
    return std::pair(size, job) > std::pair(other.size, other.job);
  }
};

/// Work in the order in which it gets ready; what is ready waits, the smallest on top.
class WorkToServe {
 public:
  WorkToServe(std::span<const BoundedJob> jobs, std::span<const std::uint32_t> order,
              std::span<const double> sizes)
      : jobs_(jobs), order_(order), sizes_(sizes) {}

  /// When the next work gets ready; never if none does.
  double next_ready() const {
    return next_ < order_.size() ? jobs_[order_[next_]].ready : kUnbounded;
  }
  /// Lets all wait that are ready by `now`.
  void let_in(double now) {
    for (; next_ready() <= now; ++next_)
      if (const double size = sizes_[order_[next_]]; size > 0)
        waiting.push({size, order_[next_], size});
  }
  bool is_done() const { return next_ == order_.size() && waiting.empty(); }

  std::priority_queue<WaitingWork> waiting;

 private:
  std::span<const BoundedJob> jobs_;
  std::span<const std::uint32_t> order_;
  std::span<const double> sizes_;
  std::size_t next_ = 0;
};

}  // namespace

void SharedMachine::lay_out() {
  stretches_.clear();
  WorkToServe work(jobs_, order_, sizes_);
  auto& waiting = work.waiting;
  double now = 0;
  while (!work.is_done()) {
    if (waiting.empty()) now = std::max(now, work.next_ready());
    work.let_in(now);
    if (waiting.empty()) continue;
    WaitingWork first = waiting.top();
    waiting.pop();
    const double until = work.next_ready();
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
