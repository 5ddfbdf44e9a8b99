#include "learn/mars/replay_guard.h"

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

ReplayGuard::ReplayGuard(std::vector<const Strategy*> baselines, Reward reward,
                         const ReplayGuardRules& rules)
    : baselines_(std::move(baselines)), reward_(reward), rules_(rules), scratch_(0, {}) {}

void ReplayGuard::on_ready(const QueueWorld& world) {
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

void ReplayGuard::on_started(JobId job, Time when, std::uint32_t gpus) {
  const auto found = seen_.find(job);
  if (found == seen_.end()) return;
  Seen& seen = found->second;
  seen.start = when;
  seen.task.requested = time_on(seen.task, seen.task.requested, gpus);
  seen.task.gpus = gpus;
}

void ReplayGuard::on_ended(JobId job, Duration run) {
  const auto found = seen_.find(job);
  if (found != seen_.end()) found->second.run = run;
}

void ReplayGuard::review(const QueueWorld& world) {
  came_ = 0;
  drop_departed(world);
  if (++batches_ < rules_.fewest) return;
  const Period period = period_until(world.now(), world.gpus());
  scratch_ = QueueWorld(world.gpus(), world.options());
  const double paid = total(period.paid);
  double least = std::numeric_limits<double>::infinity();
  better_ = nullptr;
  for (const Strategy* baseline : baselines_) {
    replay(period, *baseline, world.now());
    if (total(costs_) >= least) continue;
    least = total(costs_);
    const bool is_better = least * (1 + rules_.margin) < paid;
    better_ = is_better && is_surely_better(period.paid, costs_) ? baseline : nullptr;
  }
  share_ = paid > 0 ? least / paid : 1;
  if (batches_ >= rules_.longest) restart(world.now());
}

void ReplayGuard::restart(Time now) {
  std::erase_if(seen_, [](const auto& entry) { return entry.second.run.has_value(); });
  began_ = now;
  batches_ = 0;
}

/// One lucky hour does not count: the gains of batches must be like each other.
bool ReplayGuard::is_surely_better(const std::vector<double>& paid,
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
void ReplayGuard::drop_departed(const QueueWorld& world) {
  std::set<JobId> ready;
  for (const std::uint32_t index : world.ready()) ready.insert(world.tasks()[index].id);
  std::erase_if(seen_, [&](const auto& entry) {
    return !entry.second.start && !ready.contains(entry.first);
  });
}

ReplayGuard::Period ReplayGuard::period_until(Time now, std::uint32_t gpus) const {
  Period period;
  std::vector<Task> tasks;
  std::uint32_t free = gpus;
  for (const auto& [id, seen] : seen_) {
    Task task = seen.task;
    task.actual = known_run(task, seen.run, seen.start, now);
    if (seen.start && *seen.start < *began_) {
      if (task.gpus > free) continue;  // one of them has gone without a word
      free -= task.gpus;
      period.running.push_back({.gpus = task.gpus,
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
    period.paid.push_back(objective_of(task, start - task.submitted, task.actual, reward_));
  }
  auto sequence = TaskSequence::make(std::move(tasks), gpus);
  PENSTOCK_CHECK(sequence);
  period.tasks = *std::move(sequence);
  return period;
}

/// Who has not started by the end of the period counts as if it did then.
void ReplayGuard::replay(const Period& period, const Strategy& baseline, Time until) {
  scratch_.reset(period.tasks, {.now = began_, .running = period.running});
  follow(scratch_, baseline);
  while (scratch_.needs_choice() && scratch_.now() < until) scratch_.choose(scratch_.first());
  costs_.clear();
  for (std::uint32_t i = 0; i < period.tasks.size(); ++i) {
    const Task& task = period.tasks[i];
    const Time start = scratch_.has_started(i) ? std::min(scratch_.run_of(i).start, until) : until;
    costs_.push_back(objective_of(task, start - task.submitted, task.actual, reward_));
  }
}

}  // namespace penstock
