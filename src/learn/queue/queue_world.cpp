#include "learn/queue/queue_world.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {

void QueueWorld::reset(const TaskSequence& tasks, const Moment& moment) {
  PENSTOCK_CHECK(tasks.machine_gpus() <= gpus_);
  tasks_ = &tasks;
  order_ = nullptr;
  free_ = gpus_;
  next_ = 0;
  unfinished_ = tasks.size();
  reserved_ = kNoTask;
  least_ready_ = gpus_ + 1;
  least_is_known_ = true;
  fates_.assign(tasks.size(), {});
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
  take_over(moment);
  while (next_ < tasks.size() && tasks[next_].submitted <= now_) submit(next_++);
  run_on();
}

void QueueWorld::take_over(const Moment& moment) {
  for (const RunningTask& runs : moment.running) {
    std::uint32_t slot = runs.task;
    if (slot == kNoTask) {
      slot = static_cast<std::uint32_t>(fates_.size());
      fates_.emplace_back();
    } else {
      PENSTOCK_CHECK(phases_[slot] == Phase::ahead);
      phases_[slot] = Phase::ran_before;
      parents_left_[slot] = 0;
    }
    // One that is late by now is expected to take as long again.
    Time believed = runs.believed_end;
    if (believed <= now_)
      believed = now_ + std::max<Duration>(now_ - runs.started, std::chrono::minutes(1));
    fates_[slot] = {.ready = runs.started,
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
  PENSTOCK_CHECK(asks_ && phases_[task] == Phase::ready);
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
  run_on();
}

bool QueueWorld::may_ask() {
  if (reserved_ != kNoTask || ready_.empty()) return false;
  return options_.commit == Commit::until_start || least_ready() <= free_;
}

void QueueWorld::run_on() {
  while (!(asks_ = may_ask()) && next_event()) {
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
  believe_longer();
  return true;
}

namespace {

bool ends_later(const QueueWorld::Holder& a, const QueueWorld::Holder& b) {
  return a.believed_end != b.believed_end ? a.believed_end > b.believed_end : a.slot > b.slot;
}

}  // namespace

void QueueWorld::hold(std::uint32_t slot, std::uint32_t gpus) {
  free_ -= gpus;
  const Holder holder{fates_[slot].believed_end, slot, gpus};
  running_.insert(std::upper_bound(running_.begin(), running_.end(), holder, ends_later), holder);
  ends_.push_back({fates_[slot].end, slot});
  std::push_heap(ends_.begin(), ends_.end());
}

void QueueWorld::finish(std::uint32_t slot) {
  const Fate& fate = fates_[slot];
  const Holder holder{fate.believed_end, slot, fate.gpus};
  running_.erase(std::lower_bound(running_.begin(), running_.end(), holder, ends_later));
  free_ += fate.gpus;
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
  fates_[task].ready = now_;
  const auto goes_before = [&](std::uint32_t a, std::uint32_t b) {
    return place_of(a) < place_of(b);
  };
  ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), task, goes_before), task);
  if (least_of(task) > least_ready_) return;
  least_ready_ = least_of(task);
  least_is_known_ = true;
}

/// Whoever has outrun what it asked for is expected to take as long again.
void QueueWorld::believe_longer() {
  while (!running_.empty() && running_.back().believed_end <= now_) {
    Holder holder = running_.back();
    running_.pop_back();
    Fate& fate = fates_[holder.slot];
    fate.believed_end = now_ + std::max<Duration>(now_ - fate.start, std::chrono::minutes(1));
    holder.believed_end = fate.believed_end;
    running_.insert(std::upper_bound(running_.begin(), running_.end(), holder, ends_later), holder);
  }
}

}  // namespace penstock
