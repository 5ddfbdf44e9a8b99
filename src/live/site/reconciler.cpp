#include "live/site/reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

using Op = PendingOp::Kind;
using Seen = SlurmJob::Phase;

constexpr Duration kBetweenReleases = std::chrono::seconds(10);
constexpr Duration kBetweenCancels = std::chrono::seconds(15);
constexpr Duration kBetweenQuestions = std::chrono::milliseconds(400);
constexpr std::size_t kMostQuestions = 16;  // jobs are asked about one by one while no more change
constexpr Duration kTimesAreOff = std::chrono::seconds(2);

/// Numbers in "afterok:12(unfulfilled),afterany:13_2:14(unfulfilled)"; of tasks, of their arrays.
std::vector<std::int64_t> jobs_in(std::string_view dependency) {
  std::vector<std::int64_t> numbers;
  for (auto at = dependency.find(':'); at != std::string_view::npos;
       at = dependency.find(':', at + 1)) {
    std::int64_t number = 0;
    const std::string_view rest = dependency.substr(at + 1);
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec == std::errc() && number > 0) numbers.push_back(number);
  }
  return numbers;
}

/// Of a job that is held Slurm does not find out that what it waited for is over: that is done
/// here, and Slurm has the last word when it is released.
bool waits_for_others(const SlurmJob& job, const ShownJobs& shown) {
  return std::ranges::any_of(jobs_in(job.dependency),
                             [&](std::int64_t number) { return shown.is_unfinished(number); });
}

/// Why a run is started that had to wait for the end of the one before.
std::string start_reason(const TrackedJob& job) {
  return job.start_reason.empty() ? "goes on elsewhere" : job.start_reason;
}

/// What its user asked for, as long as Slurm shows that.
void note_shape(TrackedJob& job) {
  job.asked = job.seen.gpus;
  job.shape = {.gpus = job.seen.gpus,
               .nodes = job.seen.node_count,
               .gpus_per_node = job.seen.gpus_per_node,
               .submitted = job.seen.submitted};
}

nlohmann::json runs_detail(const TrackedJob& job, const std::string& text) {
  return {{"text", text}, {"nodes", job.seen.nodes}, {"gpus", job.seen.gpus_held_count()}};
}

nlohmann::json placed_detail(std::int64_t number) {
  return {{"pool", number}, {"text", fmt::format("is job {} of the pool", number)}};
}

}  // namespace

void Reconciler::take(const nlohmann::json& body) {
  site_.shown.take(body);
  for (auto& [ref, job] : site_.jobs.all()) job.gone = true;
  JobTable::Refs present;
  for (const auto& [number, shown] : site_.shown.all())
    for (std::string& ref : refs_of(shown.job)) {
      if (TrackedJob* known = site_.jobs.find(ref)) known->gone = false;
      if (shown.fresh) {  // of most jobs a poll says only that they are still there
        SlurmJob job = shown.job;
        job.ref = ref;
        observe(std::move(job));
      }
      present.insert(std::move(ref));
    }
  site_.history.forget_ends_except(present);
}

/// Who asks about an array by its number hears of all its tasks.
void Reconciler::take_one(const std::string& ref, const nlohmann::json& body, Time now) {
  std::set<std::string> heard{ref};
  for (const nlohmann::json& record : list_at(body, "jobs")) {
    auto job = read_slurm_job(record);
    if (!job) continue;
    site_.shown.take_one(*job);
    for (std::string& each : refs_of(*job)) {
      if (each != ref && !site_.jobs.contains(each)) continue;  // the next poll tells
      job->ref = each;
      observe(*job);
      heard.insert(std::move(each));
    }
  }
  for (const std::string& each : heard)
    if (TrackedJob* job = site_.jobs.find(each)) {
      job->gone = false;
      compare(*job, now);
    }
}

void Reconciler::observe(SlurmJob job) {
  if (why_not_governed(job, site_.options)) {
    // Whoever changed its partition took it from us; what was held for us must not wait for ever.
    const bool known = site_.jobs.contains(job.ref) || parts_.launches.find(job) != nullptr;
    if (!known && !job.is_held_for_us()) return;
  }
  if (job.phase != Seen::ended) site_.history.clear_end_reported(job.ref);
  if (job.phase == Seen::ended && site_.history.is_end_reported(job.ref)) return;
  const auto [at, is_new] = site_.jobs.all().try_emplace(job.ref);
  TrackedJob& tracked = at->second;
  // A requeued job counts as submitted anew for Slurm, not for its user.
  if (tracked.seen.submitted && job.submitted)
    job.submitted = std::min(*tracked.seen.submitted, *job.submitted);
  tracked.seen = std::move(job);
  if (!tracked.seen.gpus_held.empty()) tracked.held = tracked.seen.gpus_held;
  tracked.gone = false;
  if (!tracked.changed) note_shape(tracked);
  if (is_new) site_.history.recall(tracked);
}

void Reconciler::compare_all(Time now) {
  // Those who leave make room for those who come.
  std::vector<TrackedJob*> later;
  for (auto& [ref, job] : site_.jobs.all()) {
    if (job.seen.phase == Seen::running && !job.gone && !job.runs)
      later.push_back(&job);
    else
      compare(job, now);
  }
  for (TrackedJob* job : later) compare(*job, now);
  std::erase_if(site_.jobs.all(), [&](const auto& each) {
    const bool forgets = !each.second.id && is_over(each.second);
    if (forgets) site_.jobs.remove_op(each.first);
    return forgets && !site_.events.is_held_back(each.first);
  });
}

void Reconciler::compare_held_back(Time now) {
  for (const std::string& ref : site_.events.take_to_compare())
    if (TrackedJob* job = site_.jobs.find(ref)) compare(*job, now);
}

void Reconciler::compare(TrackedJob& job, Time now) {
  if (site_.events.is_held_back(job)) return;
  if (!job.id) return compare_unknown(job, now);
  if (job.op.kind == Op::saving || job.op.kind == Op::requeuing) return compare_stopping(job, now);
  if (!job.runs) return compare_queued(job, now);
  if (job.op.kind == Op::starting) return compare_starting(job, now);
  compare_running(job, now);
}

bool Reconciler::may_be_submitted(const TrackedJob& job, Time now) const {
  const SlurmJob& seen = job.seen;
  if (seen.phase == Seen::running) return true;
  if (job.not_before && now < *job.not_before) return false;
  if (seen.completing || seen.reason == "dependency" || seen.reason == "begin_time") return false;
  const bool has_its_time = seen.eligible && *seen.eligible > now && seen.restarts == 0;
  if (has_its_time || waits_for_others(seen, site_.shown)) return false;
  return !seen.held || seen.is_held_for_us();  // its owner holds it
}

void Reconciler::compare_unknown(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (const PoolLaunches::Launch* launch = parts_.launches.find(seen))
    return adopt(*launch, job, now);
  if (is_second_copy(job, now)) return;
  if (is_over(job)) return parts_.feed.record_unseen_end(job, now);
  if (job.handed_over) return release_for_good(job, "it was left to Slurm", now);
  if (!may_be_submitted(job, now)) return;
  auto made = site_.govern(job);
  if (const auto* why = std::get_if<std::string>(&made)) {
    job.handed_over = true;
    site_.journal.note(now, job, "left to Slurm", {{"text", "left to Slurm: " + *why}});
    return release_for_good(job, *why, now);
  }
  parts_.feed.emit_submitted(job, std::move(std::get<Job>(made)), now);
  if (seen.phase == Seen::running) {
    parts_.feed.emit_started(job, now);
    return;
  }
  const bool was_released = seen.admin_comment.starts_with(kReleasedMark);
  const bool holds = site_.context.permissions.holds;
  if (holds && !seen.held && !was_released)
    parts_.commands.hold(job, {"it waits for its turn", now});
  if (!holds && seen.is_held_for_us())
    parts_.commands.release(job, kReleasedMark, {"Penstock does not hold jobs at present", now});
}

/// Asked again until Slurm shows it: nobody else would let it go.
void Reconciler::release_for_good(TrackedJob& job, const std::string& why, Time now) {
  if (!job.seen.is_held_for_us() || now < job.op.retry_at.value_or(now)) return;
  job.op.retry_at = now + kBetweenReleases;
  parts_.commands.release(job, kLeftMark, {why, now});
}

void Reconciler::hand_over(TrackedJob& job, const std::string& why, Time now) {
  job.handed_over = true;
  site_.journal.note(now, job, "left to Slurm", {{"text", "left to Slurm: " + why}});
  site_.events.compare_again(job.seen.ref);
}

void Reconciler::compare_queued(TrackedJob& job, Time now) {
  if (is_over(job)) return parts_.feed.emit_withdrawn(job, now);
  if (job.handed_over) {
    parts_.feed.emit_withdrawn(job, now);
    return release_for_good(job, "it was left to Slurm", now);
  }
  if (job.not_before) return parts_.feed.emit_withdrawn(job, now);
  if (job.seen.phase == Seen::running) parts_.feed.emit_started(job, now);
}

/// For other jobs, or for its time: its start is undone.
bool Reconciler::undo_if_slurm_waits(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const bool never = seen.reason == "dependency_never";
  if (seen.held || (!never && seen.reason != "dependency" && seen.reason != "begin_time"))
    return false;
  const std::string why =
      never ? "what it waits for will never be" : "it waits for other jobs, or for its time";
  parts_.feed.undo_start(job, why, now);
  if (never) hand_over(job, why, now);
  return true;
}

void Reconciler::compare_starting(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone) return parts_.feed.emit_interrupted(job, 0, now);
  if (seen.phase == Seen::ended) return on_ended_while_starting(job, now);
  if (seen.phase == Seen::running) return on_started(job, now);
  if (undo_if_slurm_waits(job, now)) return;
  const Duration timeout = site_.options.start_timeout;
  if (now - job.op.since > timeout && !is_some_job_stopping())
    return parts_.feed.undo_start(
        job,
        fmt::format("Slurm did not start it within {} s: {}", timeout.count() / 1000, seen.reason),
        now);
  const bool forgotten = seen.held && job.op.retry_at && now >= *job.op.retry_at;
  if (forgotten)
    parts_.commands.start(
        job, {job.op.request == 0 ? start_reason(job) : "once more: Slurm still holds it", now});
}

void Reconciler::on_ended_while_starting(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const bool ran =
      seen.started && *seen.started >= job.op.since - kTimesAreOff && !seen.nodes.empty();
  if (!ran) return parts_.feed.emit_interrupted(job, 0, now);
  parts_.runs.begin(job);
  RunRecorder::watch(job, {.from = job.billed.value_or(now)});
  parts_.commands.finish_op(job, RequestState::confirmed, "it ran", now);
  job.confirmed = true;
  parts_.meter.on_run_seen(job, now);
  parts_.feed.emit_finished(job, now);
}

void Reconciler::on_started(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const bool as_asked = is_where_it_should_be(job);
  if (!as_asked && !job.op.replaced.empty() &&
      has_gpus_of(seen.gpus_held, job.op.replaced, site_.context.cluster, site_.mirror))
    return on_started_at_old_place(job, now);
  parts_.commands.finish_op(job, as_asked ? RequestState::confirmed : RequestState::refused,
                            as_asked ? "it runs" : "it runs elsewhere", now);
  if (!as_asked) return parts_.feed.emit_interrupted(job, 0, now);
  job.confirmed = true;
  job.failed_starts = 0;
  parts_.runs.begin(job);
  RunRecorder::watch(job, {.from = job.billed.value_or(now)});
  parts_.meter.on_run_seen(job, now);
  site_.journal.note(now, job, "runs",
                     runs_detail(job, fmt::format("runs on {} with {}", fmt::join(seen.nodes, " "),
                                                  gpus_label(seen.gpus_held_count()))));
}

/// It began where it was to start before it was told to elsewhere: it stops there first.
void Reconciler::on_started_at_old_place(TrackedJob& job, Time now) {
  parts_.commands.finish_op(job, RequestState::refused, "it had begun where it was to start before",
                            now);
  parts_.runs.begin(job);
  RunRecorder::watch(job, {.from = job.billed.value_or(now)});
  job.drew = parts_.pace.draw(job, now);  // and goes on so until it has stopped
  site_.journal.note(now, job, "runs",
                     runs_detail(job, fmt::format("began on {} before it could be told otherwise",
                                                  fmt::join(job.seen.nodes, " "))));
  parts_.commands.stop(job, {start_reason(job), now});
}

/// A start may have to wait for those who save their work.
bool Reconciler::is_some_job_stopping() const {
  return std::ranges::any_of(site_.jobs.with_ops(), [&](const std::string& ref) {
    const TrackedJob* other = site_.jobs.find(ref);
    return other != nullptr && (other->op.kind == Op::saving || other->op.kind == Op::requeuing);
  });
}

void Reconciler::compare_running(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (is_over(job)) return parts_.feed.emit_finished(job, now);
  if (seen.phase == Seen::running && is_where_it_should_be(job)) return;
  parts_.feed.emit_interrupted(job, saves_work(job) ? parts_.runs.done_by(job, now) : 0, now);
  if (seen.phase == Seen::pending && site_.context.permissions.holds && !seen.held)
    parts_.commands.hold(job, {"it was requeued, and waits for its turn", now});
}

void Reconciler::compare_stopping(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (is_over(job)) {
    parts_.commands.finish_op(job, RequestState::refused, "it ended by itself", now);
    parts_.runs.end(job, now);
    if (job.runs) return parts_.feed.emit_finished(job, now);
    return parts_.feed.emit_withdrawn(job, now);
  }
  const bool new_run = !job.runs_seen.empty() && seen.phase == Seen::running && seen.started &&
                       *seen.started > job.runs_seen.back().started;
  if (seen.phase == Seen::pending && !seen.completing) return on_stopped(job, now);
  if (new_run) {  // it was requeued, and somebody else started it
    parts_.commands.finish_op(job, RequestState::confirmed, "it stopped", now);
    parts_.runs.end(job, now);
    if (job.runs) return parts_.feed.emit_interrupted(job, 0, now);
    return compare_queued(job, now);
  }
  if (now - job.op.since <= site_.options.stop_timeout) return;
  parts_.commands.finish_op(job, RequestState::refused, "it did not stop", now);
  site_.journal.note(now, job, "does not stop",
                     {{"text", "did not stop when it was told to; it goes on"}});
  if (job.runs) return parts_.feed.emit_interrupted(job, 0, now);
  compare_queued(job, now);
}

void Reconciler::on_stopped(TrackedJob& job, Time now) {
  parts_.commands.finish_op(job, RequestState::confirmed, "it stopped", now);
  parts_.runs.end(job, now);
  parts_.meter.keep_saved_work(job);
  if (job.runs) return parts_.commands.start(job, {start_reason(job), now});
  if (site_.context.permissions.holds && !job.seen.held)
    parts_.commands.hold(job, {"it waits for its turn", now});
}

bool Reconciler::is_where_it_should_be(const TrackedJob& job) const {
  const bool same_run = job.runs_seen.empty() || job.runs_seen.back().ended || !job.seen.started ||
                        job.op.kind == Op::starting ||
                        *job.seen.started <= job.runs_seen.back().started;
  return same_run &&
         has_gpus_of(job.seen.gpus_held, job.where, site_.context.cluster, site_.mirror);
}

bool Reconciler::many_change() const {
  return site_.jobs.with_ops().size() > kMostQuestions;
}

void Reconciler::advance(Time now) {
  for (const std::int64_t number : parts_.launches.check_overdue(now)) {
    const std::string ref = std::to_string(number);
    TrackedJob& job = site_.jobs.all()[ref];
    job.seen.number = number;
    job.seen.ref = ref;
    job.gone = true;
    compare(job, now);
  }
  const bool asks = now >= next_questions_ && !many_change();
  if (asks) next_questions_ = now + kBetweenQuestions;
  for (const std::string& ref : JobTable::Refs(site_.jobs.with_ops())) {
    TrackedJob* job = site_.jobs.find(ref);
    if (job == nullptr || job->op.kind == Op::none) {
      site_.jobs.remove_op(ref);
      continue;
    }
    advance_op(*job, now);
    if (asks) parts_.poller.ask_about(ref);
  }
  if (many_change()) parts_.poller.poll_jobs_by(now + std::chrono::seconds(1));
}

void Reconciler::advance_op(TrackedJob& job, Time now) {
  if (site_.events.is_held_back(job)) return;
  if (job.op.kind == Op::starting) return compare(job, now);
  if (job.op.kind == Op::saving) {
    const bool saved = !job.progress.empty() && job.progress.back().saved &&
                       job.progress.back().when >= job.op.since;
    if (saved || now - job.op.since >= job.user_options.grace)
      parts_.commands.requeue(
          job, {saved ? "its checkpoint is written" : "its time to save is over", now});
    return;
  }
  const bool still_runs = job.seen.phase == Seen::running && !job.seen.completing;
  if (still_runs && job.op.retry_at && now >= *job.op.retry_at)
    parts_.commands.requeue(job, {"once more: it still runs", now});
}

/// A job that we submitted ourselves is known to the scheduler already, and runs as it believes. If
/// it cannot be governed, it is left to Slurm.
void Reconciler::adopt(const PoolLaunches::Launch& launched, TrackedJob& job, Time now) {
  const PoolLaunches::Launch launch = launched;
  const bool has_ended = is_over(job);
  const bool keeps = !has_ended && !may_be_submitted(job, now);
  if (keeps && now - launch.since <= site_.options.start_timeout) return;
  site_.journal.note(now, job, "placed", placed_detail(launch.number));
  parts_.launches.remove(launch.number);
  site_.jobs.set_id(job, launch.id);
  job.where = launch.where;  // the mirror has it taken
  job.runs = true;
  job.was_started = true;
  job.clock_mhz = launch.clock_mhz;
  job.billed = launch.since;
  if (has_ended) return parts_.feed.emit_interrupted(job, 0, now);
  const auto made = keeps ? "somebody else keeps it waiting" : site_.govern(job);
  const auto* why = std::get_if<std::string>(&made);
  if (why == nullptr) return parts_.commands.start(job, {"it was submitted to be started", now});
  job.handed_over = true;
  site_.journal.note(now, job, "left to Slurm", {{"text", "left to Slurm: " + *why}});
  parts_.feed.emit_interrupted(job, 0, now);
}

/// A job of the pool that an earlier process submitted, or that came when nobody waited for it any
/// more. Of two the one that was not waited for is cancelled; false if this one may stay.
bool Reconciler::is_second_copy(TrackedJob& job, Time now) {
  const auto number = parts_.launches.number_of(job.seen);
  PooledJob* pooled = number ? site_.context.pool.find(*number) : nullptr;
  if (pooled == nullptr) return false;
  if (pooled->at && *pooled->at != site_.options.name) {
    if (now < job.op.retry_at.value_or(now)) return true;
    job.op.retry_at = now + kBetweenCancels;
    parts_.commands.cancel(job, {"it was submitted elsewhere meanwhile", now});
    return true;
  }
  site_.journal.note(now, job, "placed", placed_detail(*number));
  if (pooled->id) site_.events.add(JobWithdrawn{*pooled->id});
  site_.context.pool.remove(*number);
  return false;
}

}  // namespace penstock
