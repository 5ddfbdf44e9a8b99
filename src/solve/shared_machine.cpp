#include "solve/shared_machine.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "solve/work_to_serve.h"

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
  stretches_.clear();
  std::vector<std::uint32_t> served;
  std::ranges::copy_if(order_, std::back_inserter(served),
                       [&](std::uint32_t job) { return sizes_[job] > 0; });
  WorkToServe work(jobs_, served, sizes_);
  auto& waiting = work.waiting;
  double now = 0;
  while (!work.is_done()) {
    if (waiting.empty()) now = std::max(now, work.next_ready());
    work.let_in(now);
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
