#include "live/site/action_executor.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "live/bridge/bridge_answer.h"

namespace penstock {
namespace {

bool is_stopping(const TrackedJob& job) {
  return job.op.kind == PendingOp::Kind::saving || job.op.kind == PendingOp::Kind::requeuing;
}

bool is_starting(const TrackedJob& job) {
  return job.op.kind == PendingOp::Kind::starting;
}

}  // namespace

void ActionExecutor::execute(const ActionRequest& request) {
  std::visit([&](const auto& action) { on(action, request.cause); }, request.action);
}

void ActionExecutor::on(const Start& action, const Cause& cause) {
  TrackedJob& job = site_.jobs.at(action.job);
  parts_.feed.take_gpus(job, action.where);
  job.billed = cause.when;
  job.clock_mhz = action.knobs.clock_mhz.value_or(site_.type_of(action.where).max_clock_mhz);
  job.start_reason = cause.reason;
  if (is_stopping(job)) return;  // it is started once it has stopped
  parts_.commands.start(job, cause);
}

void ActionExecutor::on(const Preempt& action, const Cause& cause) {
  TrackedJob& job = site_.jobs.at(action.job);
  parts_.feed.give_back_gpus(job);
  if (is_stopping(job)) return;
  if (is_starting(job)) {
    parts_.commands.finish_op(job, RequestState::refused, "it was taken back", cause.when);
    return parts_.commands.hold(job, cause);
  }
  parts_.commands.stop(job, cause);
}

void ActionExecutor::on(const Resize& action, const Cause& cause) {
  TrackedJob& job = site_.jobs.at(action.job);
  job.clock_mhz = action.knobs.clock_mhz.value_or(site_.type_of(action.where).max_clock_mhz);
  move(job, action.where, cause);
}

void ActionExecutor::on(const Migrate& action, const Cause& cause) {
  move(site_.jobs.at(action.job), action.where, cause);
}

void ActionExecutor::move(TrackedJob& job, const Placement& where, const Cause& cause) {
  // Its GPUs go on drawing so until it has stopped.
  if (job.confirmed) job.drew = parts_.pace.draw(job, cause.when);
  if (is_starting(job)) job.op.replaced = job.where;
  parts_.feed.give_back_gpus(job);
  parts_.feed.take_gpus(job, where);
  job.billed = cause.when;
  job.start_reason = cause.reason;
  if (is_stopping(job)) return;
  if (is_starting(job)) return parts_.commands.start(job, cause);
  parts_.commands.stop(job, cause);
}

/// Agents read it from the plan of their node.
void ActionExecutor::on(const SetClock& action, const Cause& cause) {
  TrackedJob& job = site_.jobs.at(action.job);
  job.clock_mhz = action.clock_mhz;
  job.billed = cause.when;
  job.settled = cause.when;
  job.metered.clear();  // what was before is billed
  job.believed.reset();
  if (!job.runs_seen.empty() && !job.runs_seen.back().ended)
    job.runs_seen.back().clock_mhz = action.clock_mhz;
  site_.journal.note(cause.when, job, "clock",
                     {{"text", fmt::format("its GPUs are to run at {} MHz", action.clock_mhz)},
                      {"clock_mhz", action.clock_mhz},
                      {"reason", cause.reason}});
}

void ActionExecutor::on(const SetBatch& /*action*/, const Cause& /*cause*/) {}

void ActionExecutor::on(const Sleep& action, const Cause& cause) {
  parts_.commands.power_down(action.node, cause,
                             [this, node = action.node](const nlohmann::json& body) {
                               if (!is_fine(body)) parts_.nodes.on_power_down_failed(node);
                             });
}

void ActionExecutor::on(const Wake& action, const Cause& cause) {
  parts_.commands.power_up(action.node, cause);
}

/// Jobs that are in Slurm's hands stay at their site; the fence refuses this.
void ActionExecutor::on(const Route& /*action*/, const Cause& /*cause*/) {}

}  // namespace penstock
