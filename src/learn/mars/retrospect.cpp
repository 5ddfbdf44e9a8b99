#include "learn/mars/retrospect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"

namespace penstock {
namespace {

/// How long a job runs, by what is known: it ended, or it runs or waits and may take what it asked.
Duration known_run(const Task& task, const std::optional<Duration>& run,
                   const std::optional<Time>& start, Time now) {
  if (run) return *run;
  return start ? std::max(task.requested, now - *start) : task.requested;
}

double total(const std::vector<double>& costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

}  // namespace

Retrospect::Retrospect(std::vector<const Strategy*> rivals, Reward reward,
                       const RetrospectRules& rules)
    : rivals_(std::move(rivals)), reward_(reward), rules_(rules), scratch_(0, {}) {}

void Retrospect::saw(const QueueWorld& world) {
  if (!began_) began_ = world.now();
  for (const std::uint32_t index : world.ready()) {
    const Task& task = world.tasks()[index];
    auto [at, is_new] = seen_.try_emplace(task.id);
    Seen& seen = at->second;
    if (!is_new && !seen.start) continue;
    // One that has started before was interrupted, or found no room after all. One that could have
    // been seen before and was not has waited for its parents.
    const Time came = is_new ? task.submitted : seen.task.submitted;
    seen = {.task = task};
    seen.task.submitted = is_new && last_ && came <= *last_ ? world.now() : came;
    came_ += is_new ? 1 : 0;
  }
  last_ = world.now();
  if (came_ >= rules_.batch) review(world);
}

void Retrospect::started(JobId job, Time when, std::uint32_t gpus) {
  const auto found = seen_.find(job);
  if (found == seen_.end()) return;
  Seen& seen = found->second;
  seen.start = when;
  seen.task.requested = time_on(seen.task, seen.task.requested, gpus);
  seen.task.gpus = gpus;
}

void Retrospect::ended(JobId job, Duration run) {
  const auto found = seen_.find(job);
  if (found != seen_.end()) found->second.run = run;
}

void Retrospect::review(const QueueWorld& world) {
  came_ = 0;
  ++reviews_;
  forget_the_gone(world);
  if (++batches_ < rules_.fewest) return;
  const Stretch stretch = stretch_until(world.now(), world.gpus());
  scratch_ = QueueWorld(world.gpus(), world.options());
  const double paid = total(stretch.paid);
  double least = std::numeric_limits<double>::infinity();
  better_ = nullptr;
  for (const Strategy* rival : rivals_) {
    replay(stretch, *rival, world.now());
    if (total(costs_) >= least) continue;
    least = total(costs_);
    const bool is_better = least * (1 + rules_.margin) < paid;
    better_ = is_better && is_surely_better(stretch.paid, costs_) ? rival : nullptr;
  }
  share_ = paid > 0 ? least / paid : 1;
  if (batches_ >= rules_.longest) begin_anew(world.now());
}

void Retrospect::begin_anew(Time now) {
  std::erase_if(seen_, [](const auto& entry) { return entry.second.run.has_value(); });
  began_ = now;
  batches_ = 0;
}

/// One lucky hour does not count: the gains of batches must be like each other.
bool Retrospect::is_surely_better(const std::vector<double>& paid,
                                  const std::vector<double>& costs) const {
  std::vector<double> gains((paid.size() + rules_.batch - 1) / rules_.batch);
  for (std::size_t i = 0; i < paid.size(); ++i) gains[i / rules_.batch] += paid[i] - costs[i];
  const auto count = static_cast<double>(gains.size());
  const double mean = total(gains) / count;
  double squares = 0;
  for (const double gain : gains) squares += (gain - mean) * (gain - mean);
  return count > 1 && mean > rules_.certainty * std::sqrt(squares / (count - 1) / count);
}

/// Who waits no more and was not started here: another pool has it, or it was given up.
void Retrospect::forget_the_gone(const QueueWorld& world) {
  std::set<JobId> ready;
  for (const std::uint32_t index : world.ready()) ready.insert(world.tasks()[index].id);
  std::erase_if(seen_, [&](const auto& entry) {
    return !entry.second.start && !ready.contains(entry.first);
  });
}

Retrospect::Stretch Retrospect::stretch_until(Time now, std::uint32_t gpus) const {
  Stretch stretch;
  std::vector<Task> tasks;
  std::uint32_t free = gpus;
  for (const auto& [id, seen] : seen_) {
    Task task = seen.task;
    task.actual = known_run(task, seen.run, seen.start, now);
    if (seen.start && *seen.start < *began_) {
      if (task.gpus > free) continue;  // one of them has gone without a word
      free -= task.gpus;
      stretch.running.push_back({.gpus = task.gpus,
                                 .started = *seen.start,
                                 .believed_end = *seen.start + task.requested,
                                 .end = *seen.start + task.actual});
      continue;
    }
    tasks.push_back(std::move(task));
  }
  std::ranges::sort(tasks, {}, [](const Task& task) { return std::pair(task.submitted, task.id); });
  for (const Task& task : tasks) {
    const Time start = seen_.at(task.id).start.value_or(now);
    stretch.paid.push_back(judged(task, start - task.submitted, task.actual, reward_));
  }
  auto sequence = TaskSequence::make(std::move(tasks), gpus);
  PENSTOCK_CHECK(sequence);
  stretch.tasks = *std::move(sequence);
  return stretch;
}

/// Who has not started by the end of the stretch counts as if it did then.
void Retrospect::replay(const Stretch& stretch, const Strategy& rival, Time until) {
  scratch_.reset(stretch.tasks, {.now = began_, .running = stretch.running});
  follow(scratch_, rival);
  while (scratch_.needs_choice() && scratch_.now() < until) scratch_.choose(scratch_.first());
  costs_.clear();
  for (std::uint32_t i = 0; i < stretch.tasks.size(); ++i) {
    const Task& task = stretch.tasks[i];
    const Time start = scratch_.has_started(i) ? std::min(scratch_.fate(i).start, until) : until;
    costs_.push_back(judged(task, start - task.submitted, task.actual, reward_));
  }
}

}  // namespace penstock
