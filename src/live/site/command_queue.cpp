#include "live/site/command_queue.h"

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "live/bridge/bridge_answer.h"

namespace penstock {
namespace {

using nlohmann::json;
using Op = PendingOp::Kind;

constexpr Duration kSettle = std::chrono::milliseconds(1500);  // between two runs of one job
constexpr Duration kResendStart = std::chrono::seconds(3);
constexpr Duration kResendStop = std::chrono::seconds(15);
constexpr Duration kResendRefused = std::chrono::milliseconds(200);  // what Slurm cannot do yet
constexpr Duration kUntilSubmitted = std::chrono::milliseconds(200);

/// Of starts and stops Slurm shows later whether they were carried out.
bool is_shown_later(std::string_view verb) {
  return verb == "start" || verb == "requeue";
}

}  // namespace

QueuedCommand& CommandQueue::add(const std::string& verb, bridge::Command command,
                                 const Cause& cause) {
  std::string detail = bridge::to_json(command);
  return queued_.emplace_back(QueuedCommand{.record = {.when = cause.when,
                                                       .site = site_.options.name,
                                                       .verb = verb,
                                                       .detail = std::move(detail),
                                                       .reason = cause.reason},
                                            .command = std::move(command)});
}

QueuedCommand& CommandQueue::add(TrackedJob& job, const std::string& verb, bridge::Command command,
                                 const Cause& cause) {
  QueuedCommand& added = add(verb, std::move(command), cause);
  added.record.job = job.seen.number;
  added.ref = job.seen.ref;
  return added;
}

void CommandQueue::begin_start(TrackedJob& job, Time now) {
  if (job.op.kind != Op::starting) job.op.since = now;
  job.op.kind = Op::starting;
  job.confirmed = false;
  site_.jobs.add_op(job.seen.ref);
}

/// Slurm may still be ending what it knows by the same number on the node: a new run that comes at
/// once can be hit by the signals meant for the old one. The start then comes a little later.
bool CommandQueue::must_settle(TrackedJob& job, Time now) {
  if (job.runs_seen.empty() || !job.runs_seen.back().ended) return false;
  const Time settled = *job.runs_seen.back().ended + kSettle;
  if (now >= settled) return false;
  begin_start(job, now);
  close_request(job, RequestState::lost, "another request took its place", now);
  job.op.retry_at = settled;
  return true;
}

void CommandQueue::start(TrackedJob& job, const Cause& cause) {
  if (must_settle(job, cause.when)) return;
  const auto share = even_share(job.where, site_.context.cluster, site_.mirror);
  PENSTOCK_CHECK(share);  // the fence has seen to it
  bridge::UpdateJob update{.job = job.seen.ref,
                           .hold = false,
                           .nodes = share->nodes,
                           .node_count = static_cast<std::int64_t>(share->nodes.size()),
                           .gpus_per_node = share->gpus_each,
                           .start_now = job.seen.restarts > 0};
  const std::uint32_t clock =
      job.clock_mhz == site_.type_of(job.where).max_clock_mhz ? 0 : job.clock_mhz;
  if (clock != job.seen.clock_mhz) update.clock = clock;
  job.changed = true;
  begin_start(job, cause.when);
  if (!job.start_asked) job.start_asked = cause.when;
  job.op.retry_at = cause.when + kResendStart;
  add(job, "start", std::move(update), cause);
}

void CommandQueue::stop(TrackedJob& job, const Cause& cause) {
  job.op.since = cause.when;
  site_.jobs.add_op(job.seen.ref);
  if (job.user_options.grace == Duration::zero()) return requeue(job, cause);
  job.op.kind = Op::saving;
  add(job, "save",
      bridge::SignalJob{.job = job.seen.ref, .number = SIGUSR1, .to = bridge::SignalTo::batch},
      cause);
}

void CommandQueue::requeue(TrackedJob& job, const Cause& cause) {
  job.op.kind = Op::requeuing;
  job.op.retry_at = cause.when + kResendStop;
  site_.jobs.add_op(job.seen.ref);
  if (!job.seen.is_marked())  // or it would be taken for one that its owner holds
    add(job, "mark",
        bridge::UpdateJob{.job = job.seen.ref, .admin_comment = std::string(kHeldMark)},
        {"it is stopped, and will be held for us", cause.when});
  add(job, "requeue", bridge::Requeue{.job = job.seen.ref, .hold = true}, cause);
}

void CommandQueue::hold(TrackedJob& job, const Cause& cause) {
  job.start_asked.reset();
  add(job, "hold",
      bridge::UpdateJob{.job = job.seen.ref, .hold = true, .admin_comment = std::string(kHeldMark)},
      cause);
}

void CommandQueue::release(TrackedJob& job, std::string_view mark, const Cause& cause) {
  if (!site_.context.permissions.releases || !releasing_.insert(job.seen.ref).second) return;
  add(job, "release",
      bridge::UpdateJob{.job = job.seen.ref,
                        .hold = false,
                        .nodes = std::vector<std::string>{},
                        .admin_comment = std::string(mark)},
      cause);
}

void CommandQueue::cancel(TrackedJob& job, const Cause& cause, CommandReply then) {
  add(job, "cancel", bridge::CancelJob{job.seen.ref}, cause).then = std::move(then);
  poller_.ask_about(job.seen.ref);
}

void CommandQueue::submit(bridge::SubmitJob job, const Cause& cause, CommandReply then) {
  add("submit", std::move(job), cause).then = std::move(then);
  poller_.poll_jobs_by(cause.when + kUntilSubmitted);
}

void CommandQueue::power_down(NodeId node, const Cause& cause, CommandReply then) {
  add("sleep",
      bridge::ChangeNodes{.change = bridge::NodeChange::power_down,
                          .nodes = {site_.mirror.name(node)},
                          .reason = "penstock"},
      cause)
      .then = std::move(then);
}

void CommandQueue::power_up(NodeId node, const Cause& cause) {
  add("wake",
      bridge::ChangeNodes{.change = bridge::NodeChange::power_up,
                          .nodes = {site_.mirror.name(node)}},
      cause);
}

void CommandQueue::dispatch(QueuedCommand command) {
  const JournalRequest& record = command.record;
  TrackedJob* job = site_.jobs.find(command.ref);
  if (job != nullptr && (is_shown_later(record.verb) || record.verb == "save")) {
    if (record.verb == "start" && job->op.kind != Op::starting) {  // since it was ordered
      site_.journal.answer({record.id, RequestState::refused, "it was taken back", record.when});
      return;
    }
    close_request(*job, RequestState::lost, "another request took its place", record.when);
    job->op.request = record.id;
    job->op.request_open = is_shown_later(record.verb);
  }
  poller_.send(std::move(command));
}

void CommandQueue::drop(const QueuedCommand& command, Time now) {
  if (command.then) command.then(json());
  TrackedJob* job = site_.jobs.find(command.ref);
  const bool stops = command.record.verb == "requeue" || command.record.verb == "save";
  if (job != nullptr && stops && job->op.kind != Op::none) job->op.retry_at = now + kResendStop;
}

/// The job to whose pending operation this is the latest request.
TrackedJob* CommandQueue::waiting_for(const QueuedCommand& command) {
  TrackedJob* job = site_.jobs.find(command.ref);
  return job != nullptr && job->op.request == command.record.id ? job : nullptr;
}

TrackedJob* CommandQueue::on_reply(const QueuedCommand& command, const json& body, Time now) {
  if (command.record.verb == "release") releasing_.erase(command.ref);
  if (command.then) command.then(body);
  if (body.is_null()) {
    if (TrackedJob* job = waiting_for(command)) job->op.request_open = false;
    site_.journal.answer(
        {command.record.id, RequestState::lost, "the bridge ended before it answered", now});
    return nullptr;
  }
  if (!is_fine(body)) return on_failure(command, body, now);
  if (!is_shown_later(command.record.verb))
    site_.journal.answer({command.record.id, RequestState::confirmed, "", now});
  return nullptr;
}

TrackedJob* CommandQueue::on_failure(const QueuedCommand& command, const json& body, Time now) {
  const std::string code = error_code(body);
  const std::string text = error_text(body);
  TrackedJob* job = waiting_for(command);
  if (job != nullptr) job->op.request_open = false;
  if (code == "try_again" && job != nullptr) {
    job->op.retry_at = now + kResendRefused;
    site_.journal.answer({command.record.id, RequestState::refused, "not yet: " + text, now});
    return nullptr;
  }
  poller_.add_error();
  const bool unsure = code == "unreachable";
  site_.journal.answer(
      {command.record.id, unsure ? RequestState::lost : RequestState::refused, text, now});
  if (!command.ref.empty()) poller_.ask_about(command.ref);
  if (unsure) {
    poller_.set_unreachable(text, now);
    return nullptr;
  }
  // It is not as it was last seen: what it shows now decides.
  if (code == "not_pending" || code == "already_done" || code == "no_such_job") return nullptr;
  const bool is_refused_start =
      job != nullptr && command.record.verb == "start" && job->op.kind == Op::starting &&
      job->seen.phase == SlurmJob::Phase::pending && !site_.events.is_held_back(*job);
  return is_refused_start ? job : nullptr;
}

/// What became of a request is told once; that it was done after all, in any case.
void CommandQueue::close_request(TrackedJob& job, RequestState state, const std::string& text,
                                 Time now) {
  const bool tells = job.op.request_open || state == RequestState::confirmed;
  if (job.op.request != 0 && tells) site_.journal.answer({job.op.request, state, text, now});
  job.op.request = 0;
  job.op.request_open = false;
}

void CommandQueue::finish_op(TrackedJob& job, RequestState state, const std::string& text,
                             Time now) {
  close_request(job, state, text, now);
  job.op.replaced.clear();
  job.op.kind = Op::none;
  job.op.retry_at.reset();
  site_.jobs.remove_op(job.seen.ref);
}

}  // namespace penstock
