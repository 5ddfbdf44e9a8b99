#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "learn/queue/queue_world.h"

namespace penstock {

std::uint32_t QueueWorld::least_of(std::uint32_t task) const {
  const TaskSequence::Brief& brief = tasks_->brief(task);
  return options_.sizing == Sizing::asked ? brief.gpus : brief.least;
}

void QueueWorld::keep(const Keep& keep) {
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
  Fate& fate = fates_[task];
  fate.start = now_;
  fate.end = now_ + time_on(what, needs(task), gpus);
  fate.believed_end = now_ + time_on(what, what.requested, gpus);
  fate.gpus = gpus;
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
  gather_passers(opening);
  if (passers_.empty()) return;
  if (ages()) sort_passers_by_age();
  std::size_t passed = 0;
  for (const std::uint32_t task : passers_) {
    if (free_ == 0) break;
    const std::uint32_t size = size_passing(task, opening);
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
void QueueWorld::gather_passers(const Opening& opening) {
  passers_.resize(ready_.size());
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
    passers_[found] = task;
    found += static_cast<std::size_t>((least <= free) & (in_time | (least <= within)) &
                                      (task != spared));
  }
  passers_.resize(found);
}

/// With how many GPUs the task can start without delaying the opening; 0 if with none. What it
/// takes away from the opening is taken off.
std::uint32_t QueueWorld::size_passing(std::uint32_t task, Opening& opening) const {
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

void QueueWorld::sort_passers_by_age() {
  const auto aged = order_->shared->aged;
  scored_.clear();
  for (const std::uint32_t task : passers_)
    scored_.emplace_back(aged(waited(task), tasks_->brief(task).gpus), task);
  std::ranges::sort(scored_);
  std::ranges::transform(scored_, passers_.begin(), [](const auto& pair) { return pair.second; });
}

}  // namespace penstock
