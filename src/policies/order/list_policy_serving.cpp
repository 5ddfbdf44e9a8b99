#include <algorithm>
#include <utility>

#include "base/check.h"
#include "policies/order/drain.h"
#include "policies/order/list_policy.h"

namespace penstock {

/// Jobs start in order until `depth` of them are blocked; then later ones may pass.
/// The blocked ones and their promises stay aside for as long as nothing could have
/// changed for them.
void ListPolicy::serve_in_order(const View& view, Decision& decision) {
  if (plan_is_stale()) put_back();
  plan_changed_ = false;
  if (!preempts() && queue_.least_gpus() > room_.most_free()) return;
  const Note* fragmented = nullptr;
  while (const auto front = queue_.front(now_)) {
    Note& note = notes_.at(front->index);
    if (start_if_fits(note, view, decision)) {
      say_first(note, view, decision);
      continue;
    }
    // Whoever is behind a blocked job may pass it, but not at the cost of its promise.
    if (preempts() && aside_.empty() && start_by_preempting(note, view, decision)) continue;
    if (aside_.size() >= options_.depth) break;
    if (!set_aside(note) && fragmented == nullptr) fragmented = &note;
  }
  if (!aside_.empty()) pass_blocked_and_drain(fragmented, view, decision);
}

/// Promises a blocked job a start. False if enough GPUs are free now but scattered: no
/// number of them kept back would help.
bool ListPolicy::set_aside(Note& note) {
  queue_.erase(note.item);
  aside_.push_back(note.item.id);
  make_promise(note);
  if (note.item.promise > now_) return true;
  break_promise(note);
  plan_changed_ = true;
  return false;
}

bool ListPolicy::plan_is_stale() const {
  if (plan_changed_ || preempts() || order_.score == nullptr) return true;
  return std::ranges::any_of(aside_,
                             [&](JobId job) { return notes_.at(job.index).item.promise <= now_; });
}

/// Every waiting job has been promised a start; any may start that delays no other.
void ListPolicy::keep_promises(const View& view, Decision& decision) {
  if (preempts()) preempt_for_front(view, decision);
  promise_fresh();
  start_stuck(view, decision);
  start_due(view, decision);
  const Note* fragmented = stuck_.empty() ? nullptr : &notes_.at(stuck_.front().index);
  pass_blocked_and_drain(fragmented, view, decision);
  // Where nodes have to be woken, a promised moment may come without anything happening.
  if (!costs_.sleep_after) return;
  if (const Time next = queue_.earliest_promise(); next > now_ && next != Time::max())
    decision.ask_again = next;
}

void ListPolicy::preempt_for_front(const View& view, Decision& decision) {
  while (const auto front = queue_.front(now_)) {
    Note& note = notes_.at(front->index);
    break_promise(note);
    if (start_if_fits(note, view, decision)) {
      say_first(note, view, decision);
      continue;
    }
    if (start_by_preempting(note, view, decision)) continue;
    if (std::ranges::find(fresh_, *front) == fresh_.end()) fresh_.push_back(*front);
    return;
  }
}

void ListPolicy::start_stuck(const View& view, Decision& decision) {
  std::erase_if(
      stuck_, [&](JobId job) { return start_if_placeable(notes_.at(job.index), view, decision); });
}

/// Starts the jobs whose promised moment has come. One that cannot start, because
/// others outran their time or nodes broke, is promised another moment.
void ListPolicy::start_due(const View& view, Decision& decision) {
  const auto due = [&](const JobQueue::Shelf&, std::uint32_t) { return now_; };
  while (const auto job = queue_.first_fitting(now_, due)) {
    Note& note = notes_.at(job->index);
    break_promise(note);
    if (start_if_fits(note, view, decision, Waking::ignored)) {
      say_due(note, view, decision);
      continue;
    }
    make_promise(note);
    if (note.item.promise > now_) {
      queue_.promise(note.item, note.item.promise);
      continue;
    }
    break_promise(note);
    queue_.erase(note.item);
    stuck_.push_back(*job);
  }
}

/// Lets later jobs pass, but not onto the nodes that a scattered job waits for.
void ListPolicy::pass_blocked_and_drain(const Note* fragmented, const View& view,
                                        Decision& decision) {
  if (fragmented == nullptr) {
    drain_.reset();
    return pass_blocked(view, decision);
  }
  Pool& pool = room_.pool(fragmented->pool);
  const bool known =
      drain_ && drain_->job == fragmented->item.id && drain_->pool == fragmented->pool;
  if (!known) {
    const auto believed = [&](JobId job) {
      const Note* note = notes_.find(job.index);
      return note == nullptr ? now_ : note->believed_end;
    };
    drain_ = {fragmented->item.id, fragmented->pool,
              nodes_to_drain(view.state, pool, fragmented->gpus, believed)};
  }
  for (const NodeId node : drain_->nodes) pool.close(node);
  pass_blocked(view, decision);
  for (const NodeId node : drain_->nodes) pool.open(node);
}

void ListPolicy::pass_blocked(const View& view, Decision& decision) {
  shut_.assign(queue_.shelves(), false);
  // A sleeping node adds its waking to the time that a job holds it.
  const Duration spare = costs_.sleep_after ? costs_.wake : Duration::zero();
  const auto room_until = [&](const JobQueue::Shelf& shelf, std::uint32_t index) {
    if (shut_[index]) return Time::min();
    const Time until = room_.lasts_until(shelf.gpu_types, shelf.gpus);
    return until == Time::min() || until == Time::max() ? until : until - spare;
  };
  while (const auto job = queue_.first_fitting(now_, room_until, room_.most_free())) {
    Note& note = notes_.at(job->index);
    const Time promised = note.item.promise;
    if (!start_if_fits(note, view, decision))
      shut_[note.item.shelf] = true;
    else if (options_.depth == kUnlimited)
      say_early(note, promised, view, decision);
    else
      say_passing(note, view, decision);
  }
}

bool ListPolicy::start_if_fits(Note& note, const View& view, Decision& decision, Waking waking) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    auto where = place_within_plan(note, pool, view, waking);
    if (!where) continue;
    start(note, {pool, std::move(*where)}, view, decision);
    return true;
  }
  return false;
}

std::optional<Placement> ListPolicy::place_within_plan(const Note& note, std::uint32_t pool,
                                                       const View& view, Waking waking) const {
  const JobQueue::Shelf& shelf = queue_.shelf(note.item.shelf);
  if (!room_.suits(pool, shelf.gpu_types)) return std::nullopt;
  const Time until = room_.lasts_until(pool, shelf.gpus);
  if (until == Time::min()) return std::nullopt;
  const bool promised_here = note.pool == pool && note.item.promise <= until;
  const auto lasts_from = [&](Time ready) {
    return until == Time::max() || (ready < until && note.item.request <= until - ready);
  };
  if (!promised_here && !lasts_from(now_)) return std::nullopt;
  auto where = room_.pool(pool).place(shelf.gpus);
  const bool may_wake = promised_here || waking == Waking::ignored;
  if (where && !may_wake && !lasts_from(ready_time(*where, view))) return std::nullopt;
  return where;
}

/// When the last of the nodes can work: those that sleep are woken by a start.
Time ListPolicy::ready_time(const Placement& where, const View& view) const {
  Time ready = now_;
  for (const GpuRange& range : where) {
    const NodeState& node = view.state.node(view.state.cluster().node_of[range.first.index]);
    ready = std::max(ready, node.phase == NodePhase::asleep ? now_ + costs_.wake : node.ready_at);
  }
  return ready;
}

/// For a job whose time has come: wherever there is room, whatever was promised to others.
bool ListPolicy::start_if_placeable(Note& note, const View& view, Decision& decision) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    if (!room_.suits(pool, queue_.shelf(note.item.shelf).gpu_types)) continue;
    auto where = room_.pool(pool).place(note.gpus);
    if (!where) continue;
    queue_.insert(note.item);  // start() takes it out
    start(note, {pool, std::move(*where)}, view, decision);
    say_due(note, view, decision);
    return true;
  }
  return false;
}

void ListPolicy::start(Note& note, const Room::Spot& spot, const View& view, Decision& decision) {
  queue_.erase(note.item);
  break_promise(note);
  note.pool = spot.pool;
  note.waits = false;
  note.started = now_;
  expect_end(note, ready_time(spot.where, view) + note.item.request);
  room_.hold(spot, note.believed_end);
  if (may_stop(note)) victims_.insert(note.pool, rank_of(note), note.gpus);
  if (order_.preemption == Preemption::higher_level && !note.pinned)
    await_level_up(note, view.state.job(note.item.id));
  decision.actions.emplace_back(Start{note.item.id, spot.where});
}

void ListPolicy::put_back() {
  for (const JobId job : aside_) {
    Note& note = notes_.at(job.index);
    break_promise(note);
    queue_.insert(note.item);
  }
  aside_.clear();
}

void ListPolicy::make_promise(Note& note) {
  const JobQueue::Shelf& shelf = queue_.shelf(note.item.shelf);
  const Room::Opening opening = room_.earliest(shelf.gpu_types, shelf.gpus, note.item.request);
  note.pool = opening.pool;
  note.item.promise = opening.start;
  if (explains_) promised_.push_back(note.item.id);
  if (opening.start != Time::max())
    room_.reserve(note.pool, note.gpus, opening.start, note.item.request);
}

void ListPolicy::break_promise(Note& note) {
  if (note.item.promise == Time::max()) return;
  room_.remove(note.pool, note.gpus, note.item.promise, note.item.request);
  note.item.promise = Time::max();
}

/// A job too large for the nodes that are up is asked about again at the next decision.
void ListPolicy::promise_fresh() {
  std::erase_if(fresh_, [&](JobId job) {
    Note* note = notes_.find(job.index);
    if (note == nullptr || !note->waits || note->item.promise != Time::max()) return true;
    make_promise(*note);
    queue_.promise(note->item, note->item.promise);
    return note->item.promise != Time::max();
  });
}

}  // namespace penstock
