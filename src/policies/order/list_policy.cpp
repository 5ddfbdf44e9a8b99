#include "policies/order/list_policy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "policies/order/room.h"
#include "policy/reasons.h"

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
  apply_events(view);
  extend_believed_ends(view);
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
  if (view.explain) explain_waiting(view, decision);
  return decision;
}

void ListPolicy::apply_events(const View& view) {
  undo_refused(view);
  for (const JobId job : preempted_) enqueue(job, view);
  preempted_.clear();
  for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
}

void ListPolicy::undo_refused(const View& view) {
  for (const Event& event : view.happened)
    if (const auto* refused = std::get_if<Refused>(&event))
      if (const auto* start = std::get_if<Start>(&refused->action)) {
        remove_run(start->job, start->where);
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
  remove_run(e.job, view.state.job(e.job).where);
}

void ListPolicy::on(const JobInterrupted& e, const View& view) {
  remove_run(e.job, view.state.job(e.job).where);
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
  const Entry* entry = entries_.find(e.job.index);
  if (!e.progress || entry == nullptr || !entry->waits) return;
  dequeue(e.job);
  enqueue(e.job, view);
}

void ListPolicy::dequeue(JobId job) {
  requeue_blocked();
  Entry& entry = entries_.at(job.index);
  break_promise(entry);
  if (std::erase(fragmented_, job) == 0) queue_.erase(entry.item);
  std::erase(fresh_, job);
  entries_.erase(job.index);
  plan_changed_ = true;
}

void ListPolicy::adopt(JobId job, const Placement& where, const View& view) {
  requeue_blocked();
  const JobState& state = view.state.job(job);
  Entry& entry = add_entry(job, view);
  entry.gpus = gpu_count(where);
  entry.pool = room_.pool_of(where);
  entry.waits = false;
  entry.started = state.started;
  set_believed_end(entry, now_ + entry.item.request);
  room_.hold({entry.pool, where}, entry.believed_end);
  if (may_stop(entry)) victims_.insert(entry.pool, rank_of(entry), entry.gpus);
  if (order_.preemption == Preemption::higher_level && !entry.pinned)
    schedule_level_up(entry, state);
  plan_changed_ = true;
}

void ListPolicy::set_believed_end(Entry& entry, Time end) {
  entry.believed_end = end;
  if (expects_ends()) ends_.push({end, entry.item.id});
}

ListPolicy::Entry& ListPolicy::add_entry(JobId job, const View& view) {
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
                       .bucket = queue_.bucket_of(state.job.gpu_types, state.job.gpus),
                       .score = by_level ? level : fixed,
                       .request = ahead + overhead,
                       .submitted = state.job.submitted};
  Entry& entry = entries_.insert(job.index);
  entry = {.item = item, .gpus = state.job.gpus, .pinned = state.job.pinned, .level = level};
  return entry;
}

void ListPolicy::enqueue(JobId job, const View& view) {
  const QueueItem item = add_entry(job, view).item;
  queue_.insert(item);
  if (!blocked_.empty() && goes_before(item, entries_.at(blocked_.back().index).item))
    plan_changed_ = true;
  if (options_.depth == kUnlimited) fresh_.push_back(job);
}

void ListPolicy::remove_run(JobId job, const Placement& where) {
  const Entry& entry = entries_.at(job.index);
  room_.leave(entry.pool, where, entry.believed_end);
  if (entry.believed_end > now_) plan_changed_ = true;  // it leaves room that nobody counted on
  if (may_stop(entry)) victims_.erase(entry.pool, rank_of(entry));
  entries_.erase(job.index);
}

Victims::Rank ListPolicy::rank_of(const Entry& entry) const {
  const std::int64_t value = order_.preemption == Preemption::higher_level
                                 ? entry.level
                                 : entry.believed_end.time_since_epoch().count();
  return {value, entry.item.id.index};
}

void ListPolicy::extend_believed_ends(const View& view) {
  for (; !ends_.empty() && ends_.top().when <= now_; ends_.pop()) {
    const Timer timer = ends_.top();
    Entry* entry = entries_.find(timer.job.index);
    const bool overdue = entry != nullptr && entry->believed_end == timer.when &&
                         view.state.job(timer.job).phase == Phase::running;
    if (!overdue) continue;
    // It has outrun what it asked for: expect it to take as long again.
    const Time later = now_ + std::max<Duration>(now_ - entry->started, std::chrono::minutes(1));
    if (may_stop(*entry)) victims_.erase(entry->pool, rank_of(*entry));
    room_.extend(entry->pool, entry->gpus, entry->believed_end, later);
    set_believed_end(*entry, later);
    if (may_stop(*entry)) victims_.insert(entry->pool, rank_of(*entry), entry->gpus);
    plan_changed_ = true;
  }
}

void ListPolicy::raise_levels(const View& view) {
  while (!level_ups_.empty() && level_ups_.top().when <= now_) {
    const Timer timer = level_ups_.top();
    level_ups_.pop();
    Entry* entry = entries_.find(timer.job.index);
    if (entry == nullptr || entry->level_up != timer.when) continue;
    const JobState& job = view.state.job(timer.job);
    if (job.phase != Phase::running) continue;
    victims_.erase(entry->pool, rank_of(*entry));
    ++entry->level;
    victims_.insert(entry->pool, rank_of(*entry), entry->gpus);
    schedule_level_up(*entry, job);
  }
}

void ListPolicy::schedule_level_up(Entry& entry, const JobState& job) {
  const std::int64_t threshold = options_.quantum.count() << std::min(entry.level, 20);
  const std::int64_t gpus = entry.gpus;
  const Duration to_go = Duration((threshold + gpus - 1) / gpus) - job.held;
  entry.level_up = entry.started + to_go;
  if (entry.level < 20) level_ups_.push({entry.level_up, entry.item.id});
}

/// Jobs start in order until `depth` of them are blocked; then later ones may pass. The blocked
/// ones keep their promises for as long as nothing could have changed for them.
void ListPolicy::serve_in_order(const View& view, Decision& decision) {
  if (plan_is_stale()) requeue_blocked();
  plan_changed_ = false;
  if (!preempts() && queue_.least_gpus() > room_.most_free()) return;
  const Entry* fragmented = nullptr;
  while (const auto front = queue_.front(now_)) {
    Entry& entry = entries_.at(front->index);
    if (start_if_fits(entry, view, decision)) {
      explain_first(entry, view, decision);
      continue;
    }
    // Whoever is behind a blocked job may pass it, but not at the cost of its promise.
    if (preempts() && blocked_.empty() && start_by_preempting(entry, view, decision)) continue;
    if (blocked_.size() >= options_.depth) break;
    if (!move_to_blocked(entry) && fragmented == nullptr) fragmented = &entry;
  }
  if (!blocked_.empty()) pass_blocked_and_drain(fragmented, view, decision);
}

/// Promises a blocked job a start. False if enough GPUs are free now but scattered: no
/// number of them kept back would help.
bool ListPolicy::move_to_blocked(Entry& entry) {
  queue_.erase(entry.item);
  blocked_.push_back(entry.item.id);
  make_promise(entry);
  if (entry.item.promise > now_) return true;
  break_promise(entry);
  plan_changed_ = true;
  return false;
}

bool ListPolicy::plan_is_stale() const {
  if (plan_changed_ || preempts() || order_.score == nullptr) return true;
  return std::ranges::any_of(
      blocked_, [&](JobId job) { return entries_.at(job.index).item.promise <= now_; });
}

/// Every waiting job has been promised a start; any may start that delays no other.
void ListPolicy::keep_promises(const View& view, Decision& decision) {
  if (preempts()) preempt_for_front(view, decision);
  promise_fresh();
  start_fragmented(view, decision);
  start_due(view, decision);
  const Entry* fragmented = fragmented_.empty() ? nullptr : &entries_.at(fragmented_.front().index);
  pass_blocked_and_drain(fragmented, view, decision);
  // Where nodes have to be woken, a promised moment may come without anything happening.
  if (!costs_.sleep_after) return;
  if (const Time next = queue_.earliest_promise(); next > now_ && next != Time::max())
    decision.ask_again = next;
}

void ListPolicy::preempt_for_front(const View& view, Decision& decision) {
  while (const auto front = queue_.front(now_)) {
    Entry& entry = entries_.at(front->index);
    break_promise(entry);
    if (start_if_fits(entry, view, decision)) {
      explain_first(entry, view, decision);
      continue;
    }
    if (start_by_preempting(entry, view, decision)) continue;
    if (std::ranges::find(fresh_, *front) == fresh_.end()) fresh_.push_back(*front);
    return;
  }
}

void ListPolicy::start_fragmented(const View& view, Decision& decision) {
  std::erase_if(fragmented_, [&](JobId job) {
    return start_if_placeable(entries_.at(job.index), view, decision);
  });
}

/// Starts the jobs whose promised moment has come. One that cannot start, because
/// others outran their time or nodes broke, is promised another moment.
void ListPolicy::start_due(const View& view, Decision& decision) {
  const auto due = [&](const JobQueue::Bucket&, std::uint32_t) { return now_; };
  while (const auto job = queue_.first_fitting(now_, due)) {
    Entry& entry = entries_.at(job->index);
    break_promise(entry);
    if (start_if_fits(entry, view, decision, Waking::ignored)) {
      explain_due(entry, view, decision);
      continue;
    }
    make_promise(entry);
    if (entry.item.promise > now_) {
      queue_.promise(entry.item, entry.item.promise);
      continue;
    }
    break_promise(entry);
    queue_.erase(entry.item);
    fragmented_.push_back(*job);
  }
}

/// Lets later jobs pass, but not onto the nodes that a scattered job waits for.
void ListPolicy::pass_blocked_and_drain(const Entry* fragmented, const View& view,
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
      const Entry* entry = entries_.find(job.index);
      return entry == nullptr ? now_ : entry->believed_end;
    };
    drain_ = {fragmented->item.id, fragmented->pool,
              nodes_to_drain(view.state, pool, fragmented->gpus, believed)};
  }
  for (const NodeId node : drain_->nodes) pool.close(node);
  pass_blocked(view, decision);
  for (const NodeId node : drain_->nodes) pool.open(node);
}

void ListPolicy::pass_blocked(const View& view, Decision& decision) {
  unplaceable_.assign(queue_.buckets(), false);
  // A sleeping node adds its waking to the time that a job holds it.
  const Duration spare = costs_.sleep_after ? costs_.wake : Duration::zero();
  const auto room_until = [&](const JobQueue::Bucket& bucket, std::uint32_t index) {
    if (unplaceable_[index]) return Time::min();
    const Time until = room_.lasts_until(bucket.gpu_types, bucket.gpus);
    return until == Time::min() || until == Time::max() ? until : until - spare;
  };
  while (const auto job = queue_.first_fitting(now_, room_until, room_.most_free())) {
    Entry& entry = entries_.at(job->index);
    const Time promised = entry.item.promise;
    if (!start_if_fits(entry, view, decision))
      unplaceable_[entry.item.bucket] = true;
    else if (options_.depth == kUnlimited)
      add_reason(view, decision, *job, [&] { return reasons().early(promised); });
    else
      explain_passing(entry, view, decision);
  }
}

bool ListPolicy::start_if_fits(Entry& entry, const View& view, Decision& decision, Waking waking) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    auto where = place_within_plan(entry, pool, view, waking);
    if (!where) continue;
    start(entry, {pool, std::move(*where)}, view, decision);
    return true;
  }
  return false;
}

std::optional<Placement> ListPolicy::place_within_plan(const Entry& entry, std::uint32_t pool,
                                                       const View& view, Waking waking) const {
  const JobQueue::Bucket& bucket = queue_.bucket(entry.item.bucket);
  if (!room_.suits(pool, bucket.gpu_types)) return std::nullopt;
  const Time until = room_.lasts_until(pool, bucket.gpus);
  if (until == Time::min()) return std::nullopt;
  const bool promised_here = entry.pool == pool && entry.item.promise <= until;
  const auto lasts_from = [&](Time ready) {
    return until == Time::max() || (ready < until && entry.item.request <= until - ready);
  };
  if (!promised_here && !lasts_from(now_)) return std::nullopt;
  auto where = room_.pool(pool).place(bucket.gpus);
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
bool ListPolicy::start_if_placeable(Entry& entry, const View& view, Decision& decision) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    if (!room_.suits(pool, queue_.bucket(entry.item.bucket).gpu_types)) continue;
    auto where = room_.pool(pool).place(entry.gpus);
    if (!where) continue;
    queue_.insert(entry.item);  // start() takes it out
    start(entry, {pool, std::move(*where)}, view, decision);
    explain_due(entry, view, decision);
    return true;
  }
  return false;
}

void ListPolicy::start(Entry& entry, const Room::Spot& spot, const View& view, Decision& decision) {
  queue_.erase(entry.item);
  break_promise(entry);
  entry.pool = spot.pool;
  entry.waits = false;
  entry.started = now_;
  set_believed_end(entry, ready_time(spot.where, view) + entry.item.request);
  room_.hold(spot, entry.believed_end);
  if (may_stop(entry)) victims_.insert(entry.pool, rank_of(entry), entry.gpus);
  if (order_.preemption == Preemption::higher_level && !entry.pinned)
    schedule_level_up(entry, view.state.job(entry.item.id));
  decision.actions.emplace_back(Start{entry.item.id, spot.where});
}

void ListPolicy::requeue_blocked() {
  for (const JobId job : blocked_) {
    Entry& entry = entries_.at(job.index);
    break_promise(entry);
    queue_.insert(entry.item);
  }
  blocked_.clear();
}

void ListPolicy::make_promise(Entry& entry) {
  const JobQueue::Bucket& bucket = queue_.bucket(entry.item.bucket);
  const Room::Opening opening = room_.earliest(bucket.gpu_types, bucket.gpus, entry.item.request);
  entry.pool = opening.pool;
  entry.item.promise = opening.start;
  if (explains_) promised_.push_back(entry.item.id);
  if (opening.start != Time::max())
    room_.reserve(entry.pool, entry.gpus, opening.start, entry.item.request);
}

void ListPolicy::break_promise(Entry& entry) {
  if (entry.item.promise == Time::max()) return;
  room_.remove(entry.pool, entry.gpus, entry.item.promise, entry.item.request);
  entry.item.promise = Time::max();
}

/// A job too large for the nodes that are up is asked about again at the next decision.
void ListPolicy::promise_fresh() {
  std::erase_if(fresh_, [&](JobId job) {
    Entry* entry = entries_.find(job.index);
    if (entry == nullptr || !entry->waits || entry->item.promise != Time::max()) return true;
    make_promise(*entry);
    queue_.promise(entry->item, entry->item.promise);
    return entry->item.promise != Time::max();
  });
}

bool ListPolicy::start_by_preempting(Entry& entry, const View& view, Decision& decision) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    if (!room_.suits(pool, queue_.bucket(entry.item.bucket).gpu_types)) continue;
    const std::uint32_t within_reach =
        room_.pool(pool).free() + victims_.gpus_above(pool, spared_rank(entry));
    if (within_reach < entry.gpus) continue;
    const Eviction eviction = evict_for(entry, pool, view);
    if (eviction.where.empty()) continue;
    explain_eviction(entry, eviction.victims, view, decision);
    for (const JobId job : eviction.victims) {
      remove_run(job, view.state.job(job).where);
      preempted_.push_back(job);
      decision.actions.emplace_back(Preempt{job});
    }
    start(entry, {pool, eviction.where}, view, decision);
    return true;
  }
  return false;
}

std::int64_t ListPolicy::spared_rank(const Entry& entry) const {
  if (order_.preemption == Preemption::higher_level) return entry.level;
  return (now_ + entry.item.request).time_since_epoch().count();
}

Eviction ListPolicy::evict_for(const Entry& entry, std::uint32_t pool, const View& view) {
  std::optional<Victims::Rank> last;
  const auto next_victim = [&]() -> std::optional<JobId> {
    while (const auto* worst = victims_.worst(pool, spared_rank(entry), last ? &*last : nullptr)) {
      last = *worst;
      const bool has_just_started = entries_.at(last->id).started == now_;
      if (!has_just_started) return JobId{last->id};
    }
    return std::nullopt;
  };
  return find_eviction(room_.pool(pool), entry.gpus, view.state, next_victim);
}

void ListPolicy::explain_first(const Entry& entry, const View& view, Decision& decision) const {
  if (!blocked_.empty()) return explain_passing(entry, view, decision);
  const JobId job = entry.item.id;
  add_reason(view, decision, job, [&] { return reasons().first(entry, view.state.job(job)); });
}

void ListPolicy::explain_passing(const Entry& entry, const View& view, Decision& decision) const {
  add_reason(view, decision, entry.item.id,
             [&] { return reasons().passing(entry, entries_.at(blocked_.front().index).item); });
}

void ListPolicy::explain_due(const Entry& entry, const View& view, Decision& decision) const {
  add_reason(view, decision, entry.item.id, [&] { return reasons().due(entry); });
}

void ListPolicy::explain_eviction(const Entry& entry, const std::vector<JobId>& victims,
                                  const View& view, Decision& decision) const {
  for (const JobId job : victims)
    add_reason(view, decision, job,
               [&] { return reasons().stopped(entries_.at(job.index), entry); });
  const JobId job = entry.item.id;
  add_reason(view, decision, job,
             [&] { return reasons().evicting(entry, view.state.job(job), victims.size()); });
}

void ListPolicy::explain_waiting(const View& view, Decision& decision) {
  std::vector<JobId> jobs = std::move(promised_);
  promised_.clear();
  jobs.insert(jobs.end(), blocked_.begin(), blocked_.end());
  jobs.insert(jobs.end(), fragmented_.begin(), fragmented_.end());
  if (const auto front = queue_.front(now_); front && blocked_.empty()) jobs.push_back(*front);
  std::ranges::sort(jobs);
  const auto again = std::ranges::unique(jobs);
  jobs.erase(again.begin(), again.end());
  for (const JobId job : jobs) {
    const Entry* entry = entries_.find(job.index);
    if (entry == nullptr || !entry->waits) continue;
    const std::uint64_t types = queue_.bucket(entry->item.bucket).gpu_types;
    add_reason(view, decision, job,
               [&] { return reasons().waiting(*entry, types, room_, options_.depth > 0); });
  }
}

}  // namespace penstock
