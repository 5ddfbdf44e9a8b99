#include "policies/order/list_policy.h"

#include <algorithm>
#include <variant>

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

}  // namespace penstock
