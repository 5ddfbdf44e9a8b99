// What is to be done, as requests to the bridge.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "live/bridge/json_at.h"
#include "live/site/slurm_site.h"

namespace penstock {
namespace {

using Op = PendingOp::Kind;
using nlohmann::json;

constexpr Duration kSettle = std::chrono::milliseconds(1500);  // between two runs of one job
constexpr Duration kResendStart = std::chrono::seconds(3);
constexpr Duration kResendStop = std::chrono::seconds(15);

std::string in_json(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void SlurmSite::execute(const Action& action, const std::string& reason, Time now) {
  std::visit([&](const auto& a) { on(a, reason, now); }, action);
}

void SlurmSite::order(TrackedJob* job, const std::string& verb, std::string members,
                      const std::string& reason, Time now) {
  SiteOrder order{.record = {.when = now,
                             .site = options_.name,
                             .verb = verb,
                             .detail = "{" + members + "}",
                             .reason = reason},
                  .members = std::move(members)};
  if (job != nullptr) {
    order.record.job = job->seen.number;
    order.ref = job->seen.ref;
  }
  orders_.push_back(std::move(order));
}

/// Of starts and stops Slurm shows later whether they did.
bool SlurmSite::shows_later(std::string_view verb) {
  return verb == "start" || verb == "requeue";
}

void SlurmSite::dispatch(SiteOrder order) {
  const auto found = jobs_.find(order.ref);
  const JournalRequest& record = order.record;
  if (found != jobs_.end() && (shows_later(record.verb) || record.verb == "save")) {
    TrackedJob& job = found->second;
    if (record.verb == "start" && job.op.kind != Op::starting) {  // since it was ordered
      answers_.push_back({record.id, RequestState::refused, "it was taken back", record.when});
      return;
    }
    close_request(job, RequestState::lost, "another request took its place", record.when);
    job.op.request = record.id;
    job.op.request_open = shows_later(record.verb);
  }
  const std::string members = order.members;
  std::string ref = order.ref;
  ask({.what = Asked::order, .order = std::move(order), .ref = std::move(ref)}, members);
}

void SlurmSite::drop(const SiteOrder& order, const std::string& why, Time now) {
  if (order.then) order.then(json());
  const auto found = jobs_.find(order.ref);
  if (found == jobs_.end()) return;
  TrackedJob& job = found->second;
  if (order.record.verb == "start" && job.op.kind == Op::starting && !was_told_apart(job)) {
    job.op.kind = Op::none;
    in_op_.erase(order.ref);
    tell_interrupted(job, 0, now);
  }
  if ((order.record.verb == "requeue" || order.record.verb == "save") && job.op.kind != Op::none) {
    job.op.retry_at = now + kResendStop;
  }
  trouble_ = why;
}

void SlurmSite::on(const Start& a, const std::string& reason, Time now) {
  TrackedJob& job = job_of(a.job);
  set_where(job, a.where);
  job.billed = now;
  const GpuType& type = around_.cluster.type(around_.cluster.node(a.where.front().first));
  job.clock_mhz = a.knobs.clock_mhz.value_or(type.max_clock_mhz);
  job.start_reason = reason;
  if (job.op.kind == Op::saving || job.op.kind == Op::requeuing) return;  // once it has stopped
  order_start(job, reason, now);
}

void SlurmSite::on(const Preempt& a, const std::string& reason, Time now) {
  TrackedJob& job = job_of(a.job);
  clear_where(job);
  if (job.op.kind == Op::saving || job.op.kind == Op::requeuing) return;
  if (job.op.kind == Op::starting) {
    finish_op(job, RequestState::refused, "it was taken back", now);
    return order_hold(job, reason, now);
  }
  order_stop(job, reason, now);
}

void SlurmSite::on(const Resize& a, const std::string& reason, Time now) {
  TrackedJob& job = job_of(a.job);
  const GpuType& type = around_.cluster.type(around_.cluster.node(a.where.front().first));
  job.clock_mhz = a.knobs.clock_mhz.value_or(type.max_clock_mhz);
  move(a.job, a.where, reason, now);
}

void SlurmSite::on(const Migrate& a, const std::string& reason, Time now) {
  move(a.job, a.where, reason, now);
}

void SlurmSite::move(JobId id, const Placement& where, const std::string& reason, Time now) {
  TrackedJob& job = job_of(id);
  if (job.confirmed) job.drew = draw_of(job, now);  // and goes on so until it has stopped
  if (job.op.kind == Op::starting) job.op.replaced = job.where;
  clear_where(job);
  set_where(job, where);
  job.billed = now;
  job.start_reason = reason;
  if (job.op.kind == Op::saving || job.op.kind == Op::requeuing) return;
  if (job.op.kind == Op::starting) return order_start(job, reason, now);
  order_stop(job, reason, now);
}

/// Agents read it from the plan of their node.
void SlurmSite::on(const SetClock& a, const std::string& reason, Time now) {
  TrackedJob& job = job_of(a.job);
  job.clock_mhz = a.clock_mhz;
  job.billed = now;
  job.settled = now;
  job.metered.clear();  // what was before is billed
  job.believed.reset();
  if (!job.runs_seen.empty() && !job.runs_seen.back().ended)
    job.runs_seen.back().clock_mhz = a.clock_mhz;
  note(now, &job, "clock",
       {{"text", fmt::format("its GPUs are to run at {} MHz", a.clock_mhz)},
        {"clock_mhz", a.clock_mhz},
        {"reason", reason}});
}

void SlurmSite::on(const SetBatch& /*a*/, const std::string& /*reason*/, Time /*now*/) {}

void SlurmSite::on(const Sleep& a, const std::string& reason, Time now) {
  order(nullptr, "sleep",
        fmt::format("\"do\":\"power_down\",\"nodes\":[{}],\"reason\":\"penstock\"",
                    in_json(mirror_.name(a.node))),
        reason, now);
  orders_.back().then = [this, node = a.node](const json& body) {
    if (!is_fine(body)) stays_awake(node);
  };
}

void SlurmSite::on(const Wake& a, const std::string& reason, Time now) {
  order(nullptr, "wake",
        fmt::format("\"do\":\"power_up\",\"nodes\":[{}]", in_json(mirror_.name(a.node))), reason,
        now);
}

/// Jobs that are in Slurm's hands stay at their site; the fence refuses this.
void SlurmSite::on(const Route& /*a*/, const std::string& /*reason*/, Time /*now*/) {}

/// Slurm may still be ending what it knows by the same number on the node: a new run that comes at
/// once can be hit by the signals meant for the old one. The start then comes a little later.
bool SlurmSite::must_settle(TrackedJob& job, Time now) {
  if (job.runs_seen.empty() || !job.runs_seen.back().ended) return false;
  const Time settled = *job.runs_seen.back().ended + kSettle;
  if (now >= settled) return false;
  if (job.op.kind != Op::starting) job.op.since = now;
  job.op.kind = Op::starting;
  job.confirmed = false;
  close_request(job, RequestState::lost, "another request took its place", now);
  job.op.retry_at = settled;
  in_op_.insert(job.seen.ref);
  return true;
}

void SlurmSite::order_start(TrackedJob& job, const std::string& reason, Time now) {
  if (must_settle(job, now)) return;
  const auto share = even_share(job.where, around_.cluster, mirror_);
  PENSTOCK_CHECK(share);  // the fence has seen to it
  std::string members = fmt::format(
      "\"do\":\"update\",\"job\":{},\"hold\":false,\"nodes\":{},\"node_count\":{},"
      "\"gpus_per_node\":{}",
      in_json(job.seen.ref), json(share->nodes).dump(), share->nodes.size(), share->gpus_each);
  const GpuType& type = around_.cluster.type(around_.cluster.node(job.where.front().first));
  const std::uint32_t clock = job.clock_mhz == type.max_clock_mhz ? 0 : job.clock_mhz;
  if (clock != job.seen.clock_mhz) members += fmt::format(",\"clock_mhz\":{}", clock);
  if (job.seen.restarts > 0) members += ",\"start_now\":true";
  job.changed = true;
  if (job.op.kind != Op::starting) job.op.since = now;
  job.op.kind = Op::starting;
  job.confirmed = false;
  if (!job.start_asked) job.start_asked = now;
  job.op.retry_at = now + kResendStart;
  in_op_.insert(job.seen.ref);
  order(&job, "start", std::move(members), reason, now);
}

void SlurmSite::order_stop(TrackedJob& job, const std::string& reason, Time now) {
  job.op.since = now;
  in_op_.insert(job.seen.ref);
  if (job.wish.grace == Duration::zero()) return order_requeue(job, reason, now);
  job.op.kind = Op::saving;
  order(&job, "save",
        fmt::format("\"do\":\"signal\",\"job\":{},\"signal\":\"SIGUSR1\",\"to\":\"batch\"",
                    in_json(job.seen.ref)),
        reason, now);
}

void SlurmSite::order_requeue(TrackedJob& job, const std::string& reason, Time now) {
  job.op.kind = Op::requeuing;
  job.op.retry_at = now + kResendStop;
  in_op_.insert(job.seen.ref);
  if (!job.seen.is_marked())  // or it would be taken for one that its owner holds
    order(&job, "mark",
          fmt::format("\"do\":\"update\",\"job\":{},\"admin_comment\":\"{}\"",
                      in_json(job.seen.ref), kHeldMark),
          "it is stopped, and will be held for us", now);
  order(&job, "requeue",
        fmt::format("\"do\":\"requeue\",\"job\":{},\"hold\":true", in_json(job.seen.ref)), reason,
        now);
}

void SlurmSite::order_hold(TrackedJob& job, const std::string& reason, Time now) {
  job.start_asked.reset();
  order(&job, "hold",
        fmt::format("\"do\":\"update\",\"job\":{},\"hold\":true,\"admin_comment\":\"{}\"",
                    in_json(job.seen.ref), kHeldMark),
        reason, now);
}

/// As it came: Slurm places it.
void SlurmSite::order_release(TrackedJob& job, std::string_view mark, const std::string& reason,
                              Time now) {
  if (!around_.permissions.releases || !releasing_.insert(job.seen.ref).second) return;
  order(&job, "release",
        fmt::format("\"do\":\"update\",\"job\":{},\"hold\":false,\"nodes\":[],"
                    "\"admin_comment\":\"{}\"",
                    in_json(job.seen.ref), mark),
        reason, now);
}

void SlurmSite::let_go(const std::string& reason, Time now) {
  for (auto& [ref, job] : jobs_)
    if (job.seen.phase == SlurmJob::Phase::pending && !job.gone && job.seen.is_held_for_us())
      order_release(job, "penstock: released", reason, now);
}

void SlurmSite::submit(std::string members, const std::string& reason, Time now, Then then) {
  order(nullptr, "submit", "\"do\":\"submit\"," + std::move(members), reason, now);
  orders_.back().then = std::move(then);
  next_jobs_ = std::min(next_jobs_, now + std::chrono::milliseconds(200));
}

bool SlurmSite::cancel(const std::string& ref, const std::string& reason, Time now, Then then) {
  const auto found = jobs_.find(ref);
  if (found == jobs_.end()) return false;
  order(&found->second, "cancel",
        fmt::format("\"do\":\"cancel\",\"job\":{}", in_json(found->second.seen.ref)), reason, now);
  orders_.back().then = std::move(then);
  ask_about(ref);
  return true;
}

/// What became of a request is told once; that it was done after all, in any case.
void SlurmSite::close_request(TrackedJob& job, RequestState state, const std::string& text,
                              Time now) {
  const bool tells = job.op.request_open || state == RequestState::confirmed;
  if (job.op.request != 0 && tells) answers_.push_back({job.op.request, state, text, now});
  job.op.request = 0;
  job.op.request_open = false;
}

void SlurmSite::finish_op(TrackedJob& job, RequestState state, const std::string& text, Time now) {
  close_request(job, state, text, now);
  job.op.replaced.clear();
  job.op.kind = Op::none;
  job.op.retry_at.reset();
  in_op_.erase(job.seen.ref);
}

}  // namespace penstock
