// What the scheduler is told.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "live/job/ended_entry.h"
#include "live/job/unseen_bill.h"
#include "live/site/slurm_site.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

using Op = PendingOp::Kind;
using nlohmann::json;

constexpr Duration kWholeSecond = std::chrono::seconds(1);

/// Who has the GPUs of a job that ended before it was seen to run: as many on each of its nodes.
std::vector<SlurmJob::Held> must_have_held(const SlurmJob& job) {
  std::vector<SlurmJob::Held> all;
  const auto nodes = static_cast<std::uint32_t>(job.nodes.size());
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::uint32_t count = job.gpus / nodes + (i < job.gpus % nodes ? 1 : 0);
    all.push_back({.node = job.nodes[i], .indices = std::vector<std::uint32_t>(count)});
  }
  return all;
}

}  // namespace

/// The job itself is the last of `submitted_`.
void SlurmSite::tell_submitted(TrackedJob& job, Time now) {
  Job& made = submitted_.back();
  made.id = around_.numbers.next();
  job.id = made.id;
  job.told_in = batch_;
  job.not_before.reset();
  if (!job.told) job.told = now;
  by_id_[made.id.index] = job.seen.ref;
  events_.emplace_back(JobSubmitted{made.id});
  json detail{{"text", fmt::format("{} asks for {}", made.user, gpus_label(made.gpus))},
              {"ref", job.seen.ref},
              {"name", job.seen.name},
              {"user", job.seen.user},
              {"partition", job.seen.partition},
              {"gpus", made.gpus},
              {"nodes", job.shape.nodes},
              {"gpus_per_node", job.shape.gpus_per_node},
              {"submitted_ms", made.submitted.time_since_epoch().count()},
              {"kind", job.kind}};
  if (!job.complaints.empty())
    detail["text"] = fmt::format("{}; of its comment: {}", detail["text"].get<std::string>(),
                                 fmt::join(job.complaints, "; "));
  if (!job.noted) note(now, &job, "submitted", detail);
  job.noted = true;
}

void SlurmSite::set_where(TrackedJob& job, const Placement& where) {
  mirror_.take(where);
  job.where = where;
  job.runs = true;
  job.was_started = true;
}

void SlurmSite::clear_where(TrackedJob& job) {
  mirror_.give_back(job.where);
  job.where.clear();
  job.runs = false;
  job.confirmed = false;
  job.believed.reset();
  job.working.reset();
  job.metered.clear();
}

bool SlurmSite::tell_started(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const auto& held = seen.gpus_held.empty() ? must_have_held(seen) : seen.gpus_held;
  const auto where = place_of(held, now);
  if (!where) {
    next_jobs_ = std::min(next_jobs_, now + std::chrono::seconds(1));
    jobs_since_ = 0;
    return false;
  }
  set_where(job, *where);
  job.confirmed = true;
  const GpuType& type = around_.cluster.type(around_.cluster.node(where->front().first));
  const bool driven = !job.kind.empty() && has_clock(type, seen.clock_mhz);
  job.clock_mhz = driven ? seen.clock_mhz : type.max_clock_mhz;
  run_begins(job);
  watch_run(job, {.from = now, .found = true});
  job.told_in = batch_;
  job.billed = now;
  job.settled = now;
  job.believed.reset();
  job.metered.clear();
  Knobs knobs;
  if (driven) knobs.clock_mhz = seen.clock_mhz;
  events_.emplace_back(JobStarted{.job = *job.id,
                                  .where = *where,
                                  .knobs = knobs,
                                  .since = std::min(seen.started.value_or(now), now),
                                  .done = Work(done_by_now(job, now))});
  note(now, &job, "found running",
       {{"text", fmt::format("was found running on {} with {}", fmt::join(seen.nodes, " "),
                             gpus_label(gpu_count(*where)))},
        {"nodes", seen.nodes},
        {"gpus", gpu_count(*where)}});
  return true;
}

void SlurmSite::tell_finished(TrackedJob& job, Time now) {
  const bool killed = job.seen.state == "timeout" || job.seen.state == "deadline";
  run_ends(job, job.seen.ended.value_or(now));
  measure_end(job, now);
  job.usual_draw = usual_draw(job);
  if (!job.runs_seen.empty() && job.runs_seen.back().watched) {
    job.runs_seen.back().watched->until = now;
    job.runs_seen.back().watched->metered = !job.metered.empty();
  }
  events_.emplace_back(JobFinished{*job.id, killed ? Outcome::killed : Outcome::completed});
  clear_where(job);
  in_op_.erase(job.seen.ref);
  by_id_.erase(job.id->index);
  told_ends_.insert(job.seen.ref);
  ended_.insert_or_assign(job.id->index, job);
  job.id.reset();
  job.op.kind = Op::none;
}

/// A job that is gone, or that rests after a start that failed.
void SlurmSite::tell_withdrawn(TrackedJob& job, Time now) {
  const bool is_over = job.gone || job.seen.phase == SlurmJob::Phase::ended;
  const bool ran_unseen =
      is_over && job.seen.started && !job.seen.nodes.empty() &&
      (job.runs_seen.empty() || *job.seen.started > job.runs_seen.back().started);
  if (ran_unseen && tell_started(job, now)) return tell_finished(job, now);
  events_.emplace_back(JobWithdrawn{*job.id});
  in_op_.erase(job.seen.ref);
  by_id_.erase(job.id->index);
  if (!is_over && job.was_started) withdrawn_[job.id->index] = job.seen.ref;
  if (is_over && job.was_started && told_ends_.insert(job.seen.ref).second)
    ended_.insert_or_assign(job.id->index, job);  // the scheduler tells its bill
  job.id.reset();
  job.was_started = false;
  job.op.kind = Op::none;
  if (is_over) note_end_unseen(job, now);
}

/// The end of a job of which the scheduler knows nothing, or nothing more.
void SlurmSite::note_end_unseen(TrackedJob& job, Time now) {
  if (!told_ends_.insert(job.seen.ref).second) return;
  if (job.seen.ended && *job.seen.ended < begins_) return;
  if (job.gone && job.seen.phase != SlurmJob::Phase::ended) job.seen.state = "unknown";
  const bool ran = job.seen.started && !job.seen.nodes.empty();
  if (ran && (job.runs_seen.empty() || job.runs_seen.back().started < *job.seen.started))
    run_begins(job);
  run_ends(job, job.seen.ended.value_or(now));
  if (!job.told) (void)governed(job);  // what its user said of it
  Bill bill = job.bill_before;
  if (options_.site.index < around_.signals.size())
    bill += unseen_bill(job.runs_seen, job.bill_before, around_.signals[options_.site.index],
                        usual_draw(job));
  note(now, &job, "ended", ended_detail(job, {.bill = bill}));
}

void SlurmSite::keep_bill(JobId id, const Bill& bill) {
  const auto withdrawn = withdrawn_.find(id.index);
  if (withdrawn == withdrawn_.end()) return;
  if (const auto job = jobs_.find(withdrawn->second); job != jobs_.end())
    job->second.bill_before += bill;
  withdrawn_.erase(withdrawn);
}

void SlurmSite::tell_interrupted(TrackedJob& job, double kept, Time now) {
  if (job.confirmed) run_ends(job, now);
  if (job.op.kind != Op::none)
    finish_op(job, RequestState::refused, "it is not where it should be", now);
  events_.emplace_back(JobInterrupted{*job.id, Work(std::max(kept, 0.0))});
  note(now, &job, "interrupted",
       {{"text", fmt::format("does not run as it should; Slurm shows it {} ({})", job.seen.state,
                             job.seen.reason)}});
  clear_where(job);
  keep_what_is_saved(job);
  left_.insert(job.seen.ref);
}

std::optional<Placement> SlurmSite::place_of(const std::vector<SlurmJob::Held>& held, Time now) {
  std::map<NodeId, std::uint32_t> counts;
  for (const SlurmJob::Held& each : held) {
    const auto node = mirror_.find(each.node);
    if (!node) return std::nullopt;
    counts[*node] += static_cast<std::uint32_t>(each.indices.size());
  }
  Placement where;
  for (const auto& [node, count] : counts) {
    if (count == 0) continue;
    if (count > around_.cluster.node(node).gpus) return std::nullopt;
    if (mirror_.free_on(node) < count) make_room(node, count, now);
    if (mirror_.free_on(node) < count) return std::nullopt;
    if (down_.erase(node) > 0) events_.emplace_back(NodeRepaired{node});
    mirror_.pick(node, count, where);
  }
  if (where.empty()) return std::nullopt;
  return where;
}

/// Takes back starts that Slurm has not carried out: somebody else was faster.
void SlurmSite::make_room(NodeId node, std::uint32_t gpus, Time now) {
  if (const auto blocked = drained_.find(node); blocked != drained_.end()) {
    unblock(blocked->second);
    drained_.erase(blocked);
  }
  for (auto& [ref, job] : jobs_) {
    if (mirror_.free_on(node) >= gpus) return;
    const bool here = std::ranges::any_of(job.where, [&](const GpuRange& range) {
      return around_.cluster.node_of[range.first.index] == node;
    });
    const bool not_yet = job.runs && !job.confirmed && job.seen.phase == SlurmJob::Phase::pending;
    if (!here || !not_yet || was_told_apart(job)) continue;
    finish_op(job, RequestState::refused, "its GPUs were taken by another job", now);
    tell_interrupted(job, 0, now);
    order_hold(job, "its GPUs were taken by another job", now);
  }
}

SlurmSite::Blocker SlurmSite::block(const std::string& name, const Placement& where, Time submitted,
                                    Time now) {
  Blocker blocker{around_.numbers.next(), where};
  mirror_.take(where);
  submitted_.push_back({.id = blocker.id,
                        .submitted = std::min(submitted, now),
                        .gpus = gpu_count(where),
                        .requested = options_.usual_time,
                        .name = options_.name + "/" + name,
                        .home = options_.site,
                        .pinned = true});
  events_.emplace_back(JobSubmitted{blocker.id});
  events_.emplace_back(JobStarted{.job = blocker.id, .where = where, .since = now});
  return blocker;
}

void SlurmSite::unblock(const Blocker& blocker) {
  mirror_.give_back(blocker.where);
  events_.emplace_back(JobFinished{blocker.id, Outcome::completed});
}

/// Slurm's times are whole seconds; over a submission and a start what that adds and takes is even.
/// A job that was submitted while nobody looked is told no later than the next poll would have.
std::optional<Duration> SlurmSite::lag_of(const TrackedJob& job) const {
  if (!job.start_asked || !job.seen.started) return std::nullopt;
  Duration lag = *job.seen.started - *job.start_asked;
  if (job.runs_seen.empty() && job.told && job.seen.submitted)
    lag += std::min(*job.told - *job.seen.submitted, options_.poll + kWholeSecond);
  if (lag > options_.start_patience) return std::nullopt;  // something else kept it
  return std::max(lag, Duration::zero());
}

void SlurmSite::run_begins(TrackedJob& job) {
  const SlurmJob& seen = job.seen;
  if (!seen.started) return;
  if (!job.runs_seen.empty() && !job.runs_seen.back().ended) {
    if (job.runs_seen.back().started == *seen.started) return;
    job.runs_seen.back().ended = *seen.started;
  }
  if (!job.runs_seen.empty() && job.runs_seen.back().started == *seen.started) return;
  const std::uint32_t held = seen.gpus_held_count();
  std::string type = seen.gpus_held.empty() ? seen.gpu_type : seen.gpus_held.front().type;
  if (const auto node = seen.nodes.empty() ? std::nullopt : mirror_.find(seen.nodes.front()))
    type = around_.cluster.type(around_.cluster.node(*node)).name;
  job.runs_seen.push_back({.started = *seen.started,
                           .gpus = held > 0             ? held
                                   : !job.where.empty() ? gpu_count(job.where)
                                                        : seen.gpus,
                           .nodes = seen.nodes,
                           .type = type,
                           .clock_mhz = job.clock_mhz,
                           .lag = lag_of(job)});
  job.start_asked.reset();
  job.progress.clear();
}

void SlurmSite::run_ends(TrackedJob& job, Time now) {
  if (job.runs_seen.empty() || job.runs_seen.back().ended) return;
  LiveRun& run = job.runs_seen.back();
  run.ended = std::max(now, run.started);
  if (last_words_)
    if (const auto said = last_words_(job, now)) job.progress.push_back(*said);
  if (job.work > 0 && job.seen.state == "completed")
    run.done = job.work;
  else if (!job.progress.empty())
    run.done = job.progress.back().saved.value_or(job.progress.back().done);
  else if (job.work > 0)
    run.done = job.done_before + done_by_now(job, *run.ended);
  note(now, &job, "run", run_detail(job.seen.ref, run));
}

/// What it has done since the scheduler was told of it, as far as that is known.
double SlurmSite::done_by_now(const TrackedJob& job, Time now) const {
  if (!job.progress.empty())
    return job.progress.back().saved.value_or(job.progress.back().done) - job.done_before;
  const Time started = job.runs_seen.empty() ? now : job.runs_seen.back().started;
  const double passed = std::max(0.0, seconds(now - started));
  if (job.kind.empty()) return passed * 1e3;  // the work of rigid jobs is milliseconds
  if (job.where.empty()) return 0;
  const double per_second = (modelled(job).speed * std::chrono::seconds(1)).value();
  return std::min(done_in_runs(job) + passed * per_second, job.work - job.done_before);
}

}  // namespace penstock
