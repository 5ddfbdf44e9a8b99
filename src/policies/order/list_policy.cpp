#include "policies/order/list_policy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "policies/order/room.h"

namespace penstock {
namespace {

bool goes_before(const QueueItem& a, const QueueItem& b) {
  return std::pair(a.score, a.id) < std::pair(b.score, b.id);
}

}  // namespace

ListPolicy::ListPolicy(const PolicySetting& setting, const Order& order, const ListOptions& options)
    : order_(order),
      options_(options),
      costs_(setting.costs),
      start_(setting.start),
      queue_(order),
      room_(setting.cluster, options.place, options.depth > 0),
      victims_(room_.pools()) {}

Decision ListPolicy::decide(const View& view) {
  Decision decision;
  now_ = view.now;
  explains_ = view.explain;
  room_.advance(now_);
  take_in(view);
  believe_longer(view);
  raise_levels(view);
  if (anyone_waits()) {
    if (options_.depth == kUnlimited)
      keep_promises(view, decision);
    else
      serve_in_order(view, decision);
  }
  if ((anyone_waits() || !preempted_.empty()) && !level_ups_.empty())
    decision.ask_again = std::min(decision.ask_again.value_or(Time::max()), level_ups_.top().when);
  // Who was stopped may run elsewhere at once.
  if (!preempted_.empty() && room_.most_free() > 0) decision.ask_again = now_;
  if (view.explain) say_waits(view, decision);
  return decision;
}

void ListPolicy::take_in(const View& view) {
  take_back(view);
  for (const JobId job : preempted_) enqueue(job, view);
  preempted_.clear();
  for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
}

void ListPolicy::take_back(const View& view) {
  for (const Event& event : view.happened)
    if (const auto* refused = std::get_if<Refused>(&event))
      if (const auto* start = std::get_if<Start>(&refused->action)) {
        forget_run(start->job, start->where);
        enqueue(start->job, view);
      }
  for (const Event& event : view.happened)
    if (const auto* refused = std::get_if<Refused>(&event))
      if (const auto* stop = std::get_if<Preempt>(&refused->action)) {
        std::erase(preempted_, stop->job);
        adopt(stop->job, view.state.job(stop->job).where, view);
      }
}

void ListPolicy::on(const JobSubmitted& e, const View& view) {
  if (view.state.job(e.job).job.parents.empty()) enqueue(e.job, view);
}

void ListPolicy::on(const JobReady& e, const View& view) {
  enqueue(e.job, view);
}

void ListPolicy::on(const JobFinished& e, const View& view) {
  forget_run(e.job, view.state.job(e.job).where);
}

void ListPolicy::on(const JobInterrupted& e, const View& view) {
  forget_run(e.job, view.state.job(e.job).where);
  enqueue(e.job, view);
}

void ListPolicy::on(const NodeFailed& e, const View& /*view*/) {
  room_.node_down(e.node);
  plan_changed_ = true;
}

void ListPolicy::on(const NodeRepaired& e, const View& /*view*/) {
  room_.node_up(e.node);
  plan_changed_ = true;
}

void ListPolicy::on(const JobArrived& e, const View& view) {
  enqueue(e.job, view);
}

void ListPolicy::on(const JobWithdrawn& e, const View& /*view*/) {
  dequeue(e.job);
}

void ListPolicy::on(const JobStarted& e, const View& view) {
  dequeue(e.job);
  adopt(e.job, e.where, view);
}

/// Ends of those that run are expected by what was asked for.
void ListPolicy::on(const JobMeasured& e, const View& view) {
  const Note* note = notes_.find(e.job.index);
  if (!e.progress || note == nullptr || !note->waits) return;
  dequeue(e.job);
  enqueue(e.job, view);
}

void ListPolicy::dequeue(JobId job) {
  put_back();
  Note& note = notes_.at(job.index);
  break_promise(note);
  if (std::erase(stuck_, job) == 0) queue_.erase(note.item);
  std::erase(fresh_, job);
  notes_.erase(job.index);
  plan_changed_ = true;
}

void ListPolicy::adopt(JobId job, const Placement& where, const View& view) {
  put_back();
  const JobState& state = view.state.job(job);
  Note& note = add_note(job, view);
  note.gpus = gpu_count(where);
  note.pool = room_.pool_of(where);
  note.waits = false;
  note.started = state.started;
  expect_end(note, now_ + note.item.request);
  room_.hold({note.pool, where}, note.believed_end);
  if (may_stop(note)) victims_.insert(note.pool, rank_of(note), note.gpus);
  if (order_.preemption == Preemption::higher_level && !note.pinned) await_level_up(note, state);
  plan_changed_ = true;
}

void ListPolicy::expect_end(Note& note, Time end) {
  note.believed_end = end;
  if (expects_ends()) ends_.push({end, note.item.id});
}

ListPolicy::Note& ListPolicy::add_note(JobId job, const View& view) {
  const JobState& state = view.state.job(job);
  const int level = service_level(state.held.count() * state.job.gpus, options_.quantum.count());
  const bool by_level = order_.preemption == Preemption::higher_level;
  const double fixed = order_.score == nullptr ? 0 : order_.score(state, start_);
  // The time it will hold its GPUs, as far as anyone knows: as long again as it has held
  // them, if it has outrun what it asked for.
  const Duration overhead = costs_.before_work(state.starts > 0);
  const bool overdue = state.done >= state.job.work;
  const Duration ahead =
      overdue ? std::max<Duration>(state.held, std::chrono::minutes(1)) : state.remaining_request();
  const QueueItem item{.id = job,
                       .shelf = queue_.shelf_of(state.job.gpu_types, state.job.gpus),
                       .score = by_level ? level : fixed,
                       .request = ahead + overhead,
                       .submitted = state.job.submitted};
  Note& note = notes_.insert(job.index);
  note = {.item = item, .gpus = state.job.gpus, .pinned = state.job.pinned, .level = level};
  return note;
}

void ListPolicy::enqueue(JobId job, const View& view) {
  const QueueItem item = add_note(job, view).item;
  queue_.insert(item);
  if (!aside_.empty() && goes_before(item, notes_.at(aside_.back().index).item))
    plan_changed_ = true;
  if (options_.depth == kUnlimited) fresh_.push_back(job);
}

void ListPolicy::forget_run(JobId job, const Placement& where) {
  const Note& note = notes_.at(job.index);
  room_.leave(note.pool, where, note.believed_end);
  if (note.believed_end > now_) plan_changed_ = true;  // it leaves room that nobody counted on
  if (may_stop(note)) victims_.erase(note.pool, rank_of(note));
  notes_.erase(job.index);
}

Victims::Rank ListPolicy::rank_of(const Note& note) const {
  const std::int64_t value = order_.preemption == Preemption::higher_level
                                 ? note.level
                                 : note.believed_end.time_since_epoch().count();
  return {value, note.item.id.index};
}

void ListPolicy::believe_longer(const View& view) {
  for (; !ends_.empty() && ends_.top().when <= now_; ends_.pop()) {
    const Alarm alarm = ends_.top();
    Note* note = notes_.find(alarm.job.index);
    const bool overdue = note != nullptr && note->believed_end == alarm.when &&
                         view.state.job(alarm.job).phase == Phase::running;
    if (!overdue) continue;
    // It has outrun what it asked for: expect it to take as long again.
    const Time later = now_ + std::max<Duration>(now_ - note->started, std::chrono::minutes(1));
    if (may_stop(*note)) victims_.erase(note->pool, rank_of(*note));
    room_.extend(note->pool, note->gpus, note->believed_end, later);
    expect_end(*note, later);
    if (may_stop(*note)) victims_.insert(note->pool, rank_of(*note), note->gpus);
    plan_changed_ = true;
  }
}

void ListPolicy::raise_levels(const View& view) {
  while (!level_ups_.empty() && level_ups_.top().when <= now_) {
    const Alarm alarm = level_ups_.top();
    level_ups_.pop();
    Note* note = notes_.find(alarm.job.index);
    if (note == nullptr || note->level_up != alarm.when) continue;
    const JobState& job = view.state.job(alarm.job);
    if (job.phase != Phase::running) continue;
    victims_.erase(note->pool, rank_of(*note));
    ++note->level;
    victims_.insert(note->pool, rank_of(*note), note->gpus);
    await_level_up(*note, job);
  }
}

void ListPolicy::await_level_up(Note& note, const JobState& job) {
  const std::int64_t threshold = options_.quantum.count() << std::min(note.level, 20);
  const std::int64_t gpus = note.gpus;
  const Duration to_go = Duration((threshold + gpus - 1) / gpus) - job.held;
  note.level_up = note.started + to_go;
  if (note.level < 20) level_ups_.push({note.level_up, note.item.id});
}

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

bool ListPolicy::start_by_preempting(Note& note, const View& view, Decision& decision) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    if (!room_.suits(pool, queue_.shelf(note.item.shelf).gpu_types)) continue;
    const std::uint32_t within_reach =
        room_.pool(pool).free() + victims_.gpus_above(pool, spared_rank(note));
    if (within_reach < note.gpus) continue;
    const Eviction eviction = evict_for(note, pool, view);
    if (eviction.where.empty()) continue;
    say_evicting(note, eviction.victims, view, decision);
    for (const JobId job : eviction.victims) {
      forget_run(job, view.state.job(job).where);
      preempted_.push_back(job);
      decision.actions.emplace_back(Preempt{job});
    }
    start(note, {pool, eviction.where}, view, decision);
    return true;
  }
  return false;
}

std::int64_t ListPolicy::spared_rank(const Note& note) const {
  if (order_.preemption == Preemption::higher_level) return note.level;
  return (now_ + note.item.request).time_since_epoch().count();
}

ListPolicy::Eviction ListPolicy::evict_for(const Note& note, std::uint32_t pool, const View& view) {
  Pool& trial = room_.pool(pool);
  std::vector<JobId> stopped = stop_until_placeable(note, pool, view);
  std::vector<JobId> spared;
  Eviction eviction;
  if (trial.place(note.gpus)) {
    spared = spare_who_may_stay(note, trial, view, stopped);
    eviction = {stopped, *trial.place(note.gpus)};
    for (const JobId job : spared) trial.give(view.state.job(job).where);
  }
  for (const JobId job : stopped) trial.take(view.state.job(job).where);
  for (const JobId job : spared) trial.take(view.state.job(job).where);
  return eviction;
}

/// Gives back in the pool what running jobs hold, the worst first, until the job could
/// be placed or nobody worse is left.
std::vector<JobId> ListPolicy::stop_until_placeable(const Note& note, std::uint32_t pool,
                                                    const View& view) {
  Pool& trial = room_.pool(pool);
  std::vector<JobId> stopped;
  std::optional<Victims::Rank> last;
  while (!trial.place(note.gpus)) {
    const auto* worst = victims_.worst(pool, spared_rank(note), last ? &*last : nullptr);
    if (worst == nullptr) break;
    last = *worst;
    if (notes_.at(last->id).started == now_) continue;  // it has only just been given its GPUs
    stopped.push_back(JobId{last->id});
    trial.give(view.state.job(stopped.back()).where);
  }
  return stopped;
}

/// Takes out of `stopped` whoever is not in the way after all, the last to be stopped
/// first; they hold their GPUs in the pool again.
std::vector<JobId> ListPolicy::spare_who_may_stay(const Note& note, Pool& trial, const View& view,
                                                  std::vector<JobId>& stopped) {
  std::vector<JobId> spared;
  std::ranges::reverse(stopped);
  std::erase_if(stopped, [&](JobId job) {
    const Placement& held = view.state.job(job).where;
    trial.take(held);
    const bool may_stay = trial.place(note.gpus).has_value();
    if (may_stay)
      spared.push_back(job);
    else
      trial.give(held);
    return may_stay;
  });
  return spared;
}

}  // namespace penstock
