#include "learn/queue/queue_world.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "base/check.h"

namespace penstock {

void QueueWorld::reset(const TaskSequence& tasks, const InitialState& moment) {
  PENSTOCK_CHECK(tasks.machine_gpus() <= gpus_);
  tasks_ = &tasks;
  order_ = nullptr;
  free_ = gpus_;
  next_ = 0;
  unfinished_ = tasks.size();
  reserved_ = kNoTask;
  least_ready_ = gpus_ + 1;
  least_is_known_ = true;
  runs_.assign(tasks.size(), {});
  phases_.assign(tasks.size(), Phase::ahead);
  parents_left_.resize(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i)
    parents_left_[i] = static_cast<std::uint32_t>(tasks[i].parents.size());
  ready_.clear();
  running_.clear();
  ends_.clear();
  started_.clear();
  ended_.clear();
  const Time first = tasks.size() == 0 ? options_.origin : tasks[0].submitted;
  now_ = moment.now.value_or(first);
  adopt_running(moment);
  while (next_ < tasks.size() && tasks[next_].submitted <= now_) submit(next_++);
  advance();
}

void QueueWorld::adopt_running(const InitialState& moment) {
  for (const RunningTask& runs : moment.running) {
    std::uint32_t slot = runs.task;
    if (slot == kNoTask) {
      slot = static_cast<std::uint32_t>(runs_.size());
      runs_.emplace_back();
    } else {
      PENSTOCK_CHECK(phases_[slot] == Phase::ahead);
      phases_[slot] = Phase::ran_before;
      parents_left_[slot] = 0;
    }
    // One that is late by now is expected to take as long again.
    Time believed = runs.believed_end;
    if (believed <= now_)
      believed = now_ + std::max<Duration>(now_ - runs.started, std::chrono::minutes(1));
    runs_[slot] = {.ready = runs.started,
                   .start = runs.started,
                   .end = std::max(runs.end.value_or(believed), now_),
                   .believed_end = believed,
                   .gpus = runs.gpus};
    PENSTOCK_CHECK(runs.gpus <= free_);
    hold(slot, runs.gpus);
  }
}

void QueueWorld::rank_by(const TaskOrder& order) {
  order_ = &order;
  if (!order.ages()) rank_tasks(order, *tasks_, options_.origin, places_);
  std::ranges::sort(ready_, {}, [&](std::uint32_t task) { return place_of(task); });
}

void QueueWorld::choose(std::uint32_t task, std::uint32_t gpus) {
  PENSTOCK_CHECK(needs_choice_ && phases_[task] == Phase::ready);
  PENSTOCK_CHECK(gpus == 0 ||
                 (gpus >= (*tasks_)[task].least_gpus && gpus <= (*tasks_)[task].most_gpus));
  PENSTOCK_CHECK(gpus <= gpus_);
  started_.clear();
  ended_.clear();
  if (!start_if_fits(task, gpus)) {
    reserved_ = task;
    reserved_gpus_ = gpus;
    backfill();
  }
  advance();
}

bool QueueWorld::can_choose() {
  if (reserved_ != kNoTask || ready_.empty()) return false;
  return options_.commit == Commit::until_start || least_ready() <= free_;
}

void QueueWorld::advance() {
  while (!(needs_choice_ = can_choose()) && next_event()) {
    if (reserved_ == kNoTask) continue;
    if (options_.commit == Commit::until_start)
      serve_reserved();
    else
      reserved_ = kNoTask;
  }
}

/// Everything that happens at the next instant; false if the tasks have all ended.
bool QueueWorld::next_event() {
  if (done()) return false;
  Time when = next_ < tasks_->size() ? tasks_->brief(next_).submitted : Time::max();
  if (!ends_.empty()) when = std::min(when, ends_.front().when);
  PENSTOCK_CHECK(when != Time::max());
  now_ = std::max(now_, when);
  while (!ends_.empty() && ends_.front().when <= now_) {
    const std::uint32_t slot = ends_.front().slot;
    std::pop_heap(ends_.begin(), ends_.end());
    ends_.pop_back();
    finish(slot);
  }
  while (next_ < tasks_->size() && tasks_->brief(next_).submitted <= now_) submit(next_++);
  extend_overdue();
  return true;
}

namespace {

bool ends_later(const QueueWorld::Holder& a, const QueueWorld::Holder& b) {
  return a.believed_end != b.believed_end ? a.believed_end > b.believed_end : a.slot > b.slot;
}

}  // namespace

void QueueWorld::hold(std::uint32_t slot, std::uint32_t gpus) {
  free_ -= gpus;
  const Holder holder{runs_[slot].believed_end, slot, gpus};
  running_.insert(std::upper_bound(running_.begin(), running_.end(), holder, ends_later), holder);
  ends_.push_back({runs_[slot].end, slot});
  std::push_heap(ends_.begin(), ends_.end());
}

void QueueWorld::finish(std::uint32_t slot) {
  const TaskRun& task_run = runs_[slot];
  const Holder holder{task_run.believed_end, slot, task_run.gpus};
  running_.erase(std::lower_bound(running_.begin(), running_.end(), holder, ends_later));
  free_ += task_run.gpus;
  if (slot >= tasks_->size()) return;
  --unfinished_;
  ended_.push_back(slot);
  if (!tasks_->has_parents()) return;
  for (const std::uint32_t child : tasks_->children(slot))
    if (--parents_left_[child] == 0 && phases_[child] == Phase::held) enqueue(child);
}

void QueueWorld::submit(std::uint32_t task) {
  if (phases_[task] == Phase::ran_before) return;
  phases_[task] = Phase::held;
  if (parents_left_[task] == 0) enqueue(task);
}

void QueueWorld::enqueue(std::uint32_t task) {
  phases_[task] = Phase::ready;
  runs_[task].ready = now_;
  const auto goes_before = [&](std::uint32_t a, std::uint32_t b) {
    return place_of(a) < place_of(b);
  };
  ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), task, goes_before), task);
  if (least_of(task) > least_ready_) return;
  least_ready_ = least_of(task);
  least_is_known_ = true;
}

/// Whoever has outrun what it asked for is expected to take as long again.
void QueueWorld::extend_overdue() {
  while (!running_.empty() && running_.back().believed_end <= now_) {
    Holder holder = running_.back();
    running_.pop_back();
    TaskRun& task_run = runs_[holder.slot];
    task_run.believed_end =
        now_ + std::max<Duration>(now_ - task_run.start, std::chrono::minutes(1));
    holder.believed_end = task_run.believed_end;
    running_.insert(std::upper_bound(running_.begin(), running_.end(), holder, ends_later), holder);
  }
}

std::uint32_t QueueWorld::least_of(std::uint32_t task) const {
  const TaskSequence::Brief& brief = tasks_->brief(task);
  return options_.sizing == Sizing::asked ? brief.gpus : brief.least;
}

void QueueWorld::keep(const KeepFree& keep) {
  options_.keep = keep;
  kept_ = static_cast<std::uint32_t>(keep.part * gpus_);
}

std::uint32_t QueueWorld::size_within(std::uint32_t task, std::uint32_t room) const {
  const std::uint32_t kept = kept_from(task);
  if (least_of(task) + kept > room) return 0;
  room -= kept;
  const std::uint32_t gpus = tasks_->brief(task).gpus;
  if (options_.sizing == Sizing::fill) return std::min((*tasks_)[task].most_gpus, room);
  return std::min(gpus, room);
}

/// The fewest GPUs with which some ready task can start.
std::uint32_t QueueWorld::least_ready() {
  if (least_is_known_ || least_ready_ > free_) return least_ready_;
  least_ready_ = gpus_ + 1;
  for (const std::uint32_t task : ready_) least_ready_ = std::min(least_ready_, least_of(task));
  least_is_known_ = true;
  return least_ready_;
}

bool QueueWorld::start_if_fits(std::uint32_t task, std::uint32_t wanted) {
  const std::uint32_t size = wanted == 0 ? size_within(task, free_) : wanted;
  if (size == 0 || size + kept_from(task) > free_) return false;
  start(task, size);
  const auto at = std::ranges::lower_bound(ready_, place_of(task), {},
                                           [&](std::uint32_t other) { return place_of(other); });
  ready_.erase(at);
  return true;
}

/// Everything but taking it out of `ready_`.
void QueueWorld::start(std::uint32_t task, std::uint32_t gpus) {
  const Task& what = (*tasks_)[task];
  TaskRun& task_run = runs_[task];
  task_run.start = now_;
  task_run.end = now_ + time_on(what, needs(task), gpus);
  task_run.believed_end = now_ + time_on(what, what.requested, gpus);
  task_run.gpus = gpus;
  phases_[task] = Phase::started;
  if (least_of(task) == least_ready_) least_is_known_ = false;
  hold(task, gpus);
  started_.push_back(task);
}

/// What is waited for starts, or others pass it.
void QueueWorld::serve_reserved() {
  if (start_if_fits(reserved_, reserved_gpus_))
    reserved_ = kNoTask;
  else
    backfill();
}

QueueWorld::Opening QueueWorld::opening_for(std::uint32_t gpus) const {
  std::uint32_t free = free_;
  Time when = now_;
  for (const Holder& holder : std::ranges::reverse_view(running_)) {
    if (free >= gpus && holder.believed_end != when) break;
    free += holder.gpus;
    when = holder.believed_end;
  }
  PENSTOCK_CHECK(free >= gpus);
  return {when, free - gpus};
}

/// EASY: in order, whoever ends by the opening or leaves enough for it.
void QueueWorld::backfill() {
  if (options_.backfill == Backfill::none || least_ready() > free_) return;
  const std::uint32_t kept = kept_from(reserved_);
  Opening opening =
      opening_for((reserved_gpus_ == 0 ? least_of(reserved_) : reserved_gpus_) + kept);
  opening.extra += kept;  // it need only be free when the reserved task starts
  gather_backfillable(opening);
  if (backfillable_.empty()) return;
  if (ages()) sort_backfillable_by_age();
  std::size_t passed = 0;
  for (const std::uint32_t task : backfillable_) {
    if (free_ == 0) break;
    const std::uint32_t size = backfill_size(task, opening);
    if (size == 0) continue;
    start(task, size);
    ++passed;
  }
  if (passed > 0)
    std::erase_if(ready_, [&](std::uint32_t task) { return phases_[task] != Phase::ready; });
}

/// Whoever could pass if it were the first to; room only shrinks from then on. Written without
/// branches: whether a task may pass is hard to foresee, and this is where a what-if spends its
/// time.
void QueueWorld::gather_backfillable(const Opening& opening) {
  backfillable_.resize(ready_.size());
  const bool rigid = options_.sizing == Sizing::asked;
  const std::uint32_t free = free_;
  const std::uint32_t within = std::min(free_, opening.extra);
  const Duration before = rigid ? opening.when - now_ : Duration::max();
  const std::uint32_t spared = reserved_;
  std::size_t found = 0;
  for (const std::uint32_t task : ready_) {
    const TaskSequence::Brief& brief = tasks_->brief(task);
    const std::uint32_t least = (rigid ? brief.gpus : brief.least) + kept_from(task);
    const bool in_time = brief.requested <= before;
    backfillable_[found] = task;
    found += static_cast<std::size_t>((least <= free) & (in_time | (least <= within)) &
                                      (task != spared));
  }
  backfillable_.resize(found);
}

/// With how many GPUs the task can start without delaying the opening; 0 if with none. What it
/// takes away from the opening is taken off.
std::uint32_t QueueWorld::backfill_size(std::uint32_t task, Opening& opening) const {
  const Task& what = (*tasks_)[task];
  if (const std::uint32_t size = size_within(task, free_); size == 0)
    return 0;
  else if (now_ + time_on(what, what.requested, size) <= opening.when)
    return size;
  const std::uint32_t size = size_within(task, std::min(free_, opening.extra));
  if (size > 0) opening.extra -= size;
  return size;
}

double QueueWorld::waited(std::uint32_t task) const {
  const TaskSequence::Brief& brief = tasks_->brief(task);
  return seconds(now_ - brief.submitted) / brief.length;
}

std::uint32_t QueueWorld::first() {
  PENSTOCK_CHECK(!ready_.empty());
  return ages() ? first_aged() : ready_.front();
}

/// Of tasks of one size the one that has waited its own length most often goes first, so only those
/// that beat all before them are scored. Ties go to the earlier one: ready_ is in order of
/// submission.
std::uint32_t QueueWorld::first_aged() {
  const auto aged = order_->shared->aged;
  most_waited_.assign(tasks_->sizes(), -1);
  std::uint32_t best = ready_.front();
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t task : ready_) {
    const TaskSequence::Brief& brief = tasks_->brief(task);
    const double times = waited(task);
    if (times <= most_waited_[brief.size]) continue;
    most_waited_[brief.size] = times;
    const double score = aged(times, brief.gpus);
    if (score >= least) continue;
    least = score;
    best = task;
  }
  return best;
}

void QueueWorld::sort_backfillable_by_age() {
  const auto aged = order_->shared->aged;
  scored_.clear();
  for (const std::uint32_t task : backfillable_)
    scored_.emplace_back(aged(waited(task), tasks_->brief(task).gpus), task);
  std::ranges::sort(scored_);
  std::ranges::transform(scored_, backfillable_.begin(),
                         [](const auto& pair) { return pair.second; });
}

}  // namespace penstock
