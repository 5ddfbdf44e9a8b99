#include "live/site/scheduler_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/job/ended_entry.h"
#include "live/job/unseen_bill.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

using nlohmann::json;
using Seen = SlurmJob::Phase;

constexpr Duration kFirstPause = std::chrono::seconds(15);    // after a start that failed
constexpr Duration kLongestPause = std::chrono::minutes(10);  // after many

/// The GPUs of a job that ended before it was seen to run: as many on each of its nodes.
std::vector<SlurmJob::Held> must_have_held(const SlurmJob& job) {
  std::vector<SlurmJob::Held> all;
  const auto nodes = static_cast<std::uint32_t>(job.nodes.size());
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::uint32_t count = job.gpus / nodes + (i < job.gpus % nodes ? 1 : 0);
    all.push_back({.node = job.nodes[i], .indices = std::vector<std::uint32_t>(count)});
  }
  return all;
}

json submitted_detail(const TrackedJob& job, const Job& made) {
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
  if (!job.problems.empty())
    detail["text"] = fmt::format("{}; of its comment: {}", detail["text"].get<std::string>(),
                                 fmt::join(job.problems, "; "));
  return detail;
}

}  // namespace

void SchedulerFeed::emit_submitted(TrackedJob& job, Job made, Time now) {
  made.id = site_.context.numbers.next();
  site_.jobs.set_id(job, made.id);
  job.reported_in = site_.events.batch();
  job.not_before.reset();
  if (!job.known_since) job.known_since = now;
  if (!job.noted) site_.journal.note(now, job, "submitted", submitted_detail(job, made));
  job.noted = true;
  site_.events.submit(std::move(made));
}

void SchedulerFeed::take_gpus(TrackedJob& job, const Placement& where) {
  site_.mirror.take(where);
  job.where = where;
  job.runs = true;
  job.was_started = true;
}

void SchedulerFeed::give_back_gpus(TrackedJob& job) {
  site_.mirror.give_back(job.where);
  job.where.clear();
  job.runs = false;
  job.confirmed = false;
  job.believed.reset();
  job.working.reset();
  job.metered.clear();
}

bool SchedulerFeed::emit_started(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const auto& held = seen.gpus_held.empty() ? must_have_held(seen) : seen.gpus_held;
  const auto where = find_gpus(held, now);
  if (!where) {
    parts_.poller.poll_jobs_by(now + std::chrono::seconds(1));
    parts_.poller.forget_last_update();
    return false;
  }
  take_gpus(job, *where);
  job.confirmed = true;
  const GpuType& type = site_.type_of(*where);
  const bool driven = !job.kind.empty() && has_clock(type, seen.clock_mhz);
  job.clock_mhz = driven ? seen.clock_mhz : type.max_clock_mhz;
  parts_.runs.begin(job);
  RunRecorder::watch(job, {.from = now, .found = true});
  job.reported_in = site_.events.batch();
  job.billed = now;
  job.settled = now;
  job.believed.reset();
  job.metered.clear();
  Knobs knobs;
  if (driven) knobs.clock_mhz = seen.clock_mhz;
  site_.events.add(JobStarted{.job = *job.id,
                              .where = *where,
                              .knobs = knobs,
                              .since = std::min(seen.started.value_or(now), now),
                              .done = Work(parts_.runs.done_by(job, now))});
  site_.journal.note(
      now, job, "found running",
      {{"text", fmt::format("was found running on {} with {}", fmt::join(seen.nodes, " "),
                            gpus_label(gpu_count(*where)))},
       {"nodes", seen.nodes},
       {"gpus", gpu_count(*where)}});
  return true;
}

void SchedulerFeed::emit_finished(TrackedJob& job, Time now) {
  const bool killed = job.seen.state == "timeout" || job.seen.state == "deadline";
  parts_.runs.end(job, job.seen.ended.value_or(now));
  parts_.meter.on_end(job, now);
  job.usual_draw = parts_.pace.draw_per_gpu(job);
  if (!job.runs_seen.empty() && job.runs_seen.back().watched) {
    job.runs_seen.back().watched->until = now;
    job.runs_seen.back().watched->metered = !job.metered.empty();
  }
  site_.events.add(JobFinished{*job.id, killed ? Outcome::killed : Outcome::completed});
  give_back_gpus(job);
  site_.history.set_end_reported(job.seen.ref);
  site_.history.keep_ended(*job.id, job);
  site_.jobs.clear_id(job);
}

void SchedulerFeed::emit_withdrawn(TrackedJob& job, Time now) {
  const bool ended = is_over(job);
  const bool ran_unseen =
      ended && job.seen.started && !job.seen.nodes.empty() &&
      (job.runs_seen.empty() || *job.seen.started > job.runs_seen.back().started);
  if (ran_unseen && emit_started(job, now)) return emit_finished(job, now);
  site_.events.add(JobWithdrawn{*job.id});
  if (!ended && job.was_started) site_.history.keep_withdrawn(*job.id, job.seen.ref);
  if (ended && job.was_started && site_.history.set_end_reported(job.seen.ref))
    site_.history.keep_ended(*job.id, job);  // the scheduler tells its bill
  site_.jobs.clear_id(job);
  job.was_started = false;
  if (ended) record_unseen_end(job, now);
}

void SchedulerFeed::record_unseen_end(TrackedJob& job, Time now) {
  if (!site_.history.set_end_reported(job.seen.ref)) return;
  if (job.seen.ended && *job.seen.ended < site_.history.begins()) return;
  if (job.gone && job.seen.phase != Seen::ended) job.seen.state = "unknown";
  const bool ran = job.seen.started && !job.seen.nodes.empty();
  if (ran && (job.runs_seen.empty() || job.runs_seen.back().started < *job.seen.started))
    parts_.runs.begin(job);
  parts_.runs.end(job, job.seen.ended.value_or(now));
  if (!job.known_since) (void)site_.govern(job);  // what its user said of it
  Bill bill = job.bill_before;
  const std::size_t index = site_.options.site.index;
  if (index < site_.context.signals.size())
    bill += unseen_bill(job.runs_seen, job.bill_before, site_.context.signals[index],
                        parts_.pace.draw_per_gpu(job));
  site_.journal.note(now, job, "ended", ended_detail(job, {.bill = bill}));
}

void SchedulerFeed::emit_interrupted(TrackedJob& job, double kept, Time now) {
  if (job.confirmed) parts_.runs.end(job, now);
  if (job.op.kind != PendingOp::Kind::none)
    parts_.commands.finish_op(job, RequestState::refused, "it is not where it should be", now);
  site_.events.add(JobInterrupted{*job.id, Work(std::max(kept, 0.0))});
  site_.journal.note(now, job, "interrupted",
                     {{"text", fmt::format("does not run as it should; Slurm shows it {} ({})",
                                           job.seen.state, job.seen.reason)}});
  give_back_gpus(job);
  parts_.meter.keep_saved_work(job);
  site_.events.hold_back(job.seen.ref);
}

void SchedulerFeed::undo_start(TrackedJob& job, const std::string& why, Time now) {
  const Duration pause =
      std::min<Duration>(kLongestPause, kFirstPause * (1 << std::min(job.failed_starts, 6u)));
  ++job.failed_starts;
  job.not_before = now + pause;
  parts_.commands.finish_op(job, RequestState::refused, why, now);
  site_.journal.note(
      now, job, "start undone",
      {{"text", fmt::format("its start was undone: {}; next try in {} s at the earliest", why,
                            pause.count() / 1000)}});
  emit_interrupted(job, 0, now);
  // It was released since Slurm last showed it.
  parts_.commands.hold(job, {"its start was undone", now});
}

std::optional<Placement> SchedulerFeed::find_gpus(const std::vector<SlurmJob::Held>& held,
                                                  Time now) {
  std::map<NodeId, std::uint32_t> counts;
  for (const SlurmJob::Held& each : held) {
    const auto node = site_.mirror.find(each.node);
    if (!node) return std::nullopt;
    counts[*node] += static_cast<std::uint32_t>(each.indices.size());
  }
  Placement where;
  for (const auto& [node, count] : counts) {
    if (count == 0) continue;
    if (count > site_.context.cluster.node(node).gpus) return std::nullopt;
    if (site_.mirror.free_on(node) < count) make_room(node, count, now);
    if (site_.mirror.free_on(node) < count) return std::nullopt;
    parts_.blocks.set_up(node);
    site_.mirror.pick(node, count, where);
  }
  if (where.empty()) return std::nullopt;
  return where;
}

/// Takes back starts that Slurm has not carried out: somebody else was faster.
void SchedulerFeed::make_room(NodeId node, std::uint32_t gpus, Time now) {
  parts_.blocks.undrain(node);
  for (auto& [ref, job] : site_.jobs.all()) {
    if (site_.mirror.free_on(node) >= gpus) return;
    const bool not_yet = job.runs && !job.confirmed && job.seen.phase == Seen::pending;
    if (!is_on(job.where, node, site_.context.cluster) || !not_yet ||
        site_.events.is_held_back(job))
      continue;
    const std::string why = "its GPUs were taken by another job";
    parts_.commands.finish_op(job, RequestState::refused, why, now);
    emit_interrupted(job, 0, now);
    parts_.commands.hold(job, {why, now});
  }
}

}  // namespace penstock
