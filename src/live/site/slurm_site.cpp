#include "live/site/slurm_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/bridge/bridge_answer.h"

namespace penstock {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(400);  // while something is under way

}  // namespace

SlurmSite::SlurmSite(SiteOptions options, BridgeConnection& connection, const Context& context)
    : state_(std::move(options), context),
      poller_(connection, state_.options.poll),
      commands_(state_, poller_),
      pace_(state_),
      runs_(state_, pace_),
      meter_(state_, pace_),
      blocks_(state_),
      feed_({state_, poller_, commands_, pace_, runs_, meter_, blocks_}),
      nodes_(state_, poller_, blocks_, feed_),
      foreign_(state_, blocks_, feed_),
      launches_(state_, poller_, commands_),
      reconciler_({state_, poller_, commands_, pace_, runs_, meter_, feed_, launches_}),
      actions_({state_, commands_, pace_, feed_, nodes_}) {}

void SlurmSite::poll(Time now) {
  reconciler_.compare_held_back(now);
  while (const auto reply = poller_.next(now, reconciler_.many_change())) on_reply(*reply, now);
  reconciler_.advance(now);
  meter_.update_due(now);
  poller_.ask_when_due(now);
  next_look_ = poller_.next_due(now);
  if (!state_.jobs.with_ops().empty()) next_look_ = std::min(next_look_, now + kBetweenLooks);
  next_look_ = std::min(next_look_, meter_.due_at());
}

void SlurmSite::on_reply(const SlurmPoller::Reply& reply, Time now) {
  using To = SlurmPoller::Reply::To;
  switch (reply.to) {
    case To::jobs:
      return on_jobs_reply(*reply.body, now);
    case To::nodes:
      return on_nodes_reply(*reply.body, now);
    case To::one_job:
      return reconciler_.take_one(reply.ref, *reply.body, now);
    case To::command:
      return on_command_reply(reply.command, *reply.body, now);
  }
}

void SlurmSite::on_jobs_reply(const nlohmann::json& body, Time now) {
  if (!body.contains("unchanged")) {
    reconciler_.take(body);
    foreign_.unblock_ended();
  }
  reconciler_.compare_all(now);
  if (poller_.saw_nodes()) nodes_.compare_all(now);
  foreign_.block_all(now);
}

void SlurmSite::on_nodes_reply(const nlohmann::json& body, Time now) {
  nodes_.take(body);
  if (poller_.saw_jobs()) nodes_.compare_all(now);
  if (blocks_.has_bad_nodes()) poller_.poll_nodes_often(now);
}

void SlurmSite::on_command_reply(const QueuedCommand& command, const nlohmann::json& body,
                                 Time now) {
  if (TrackedJob* refused = commands_.on_reply(command, body, now))
    feed_.undo_start(*refused, "Slurm said: " + error_text(body), now);
}

void SlurmSite::drop(const QueuedCommand& command, const std::string& why, Time now) {
  commands_.drop(command, now);
  TrackedJob* job = state_.jobs.find(command.ref);
  if (job == nullptr) return;
  if (command.record.verb == "start" && job->op.kind == PendingOp::Kind::starting &&
      !state_.events.is_held_back(*job)) {
    job->op.kind = PendingOp::Kind::none;
    state_.jobs.remove_op(command.ref);
    feed_.emit_interrupted(*job, 0, now);
  }
  poller_.set_last_error(why);
}

void SlurmSite::move_into(Batch& batch) {
  meter_.move_into(batch);
  state_.events.move_into(batch);
}

void SlurmSite::release_all(const Cause& cause) {
  for (auto& [ref, job] : state_.jobs.all())
    if (job.seen.phase == SlurmJob::Phase::pending && !job.gone && job.seen.is_held_for_us())
      commands_.release(job, kReleasedMark, cause);
}

bool SlurmSite::cancel(const std::string& ref, const Cause& cause, CommandReply then) {
  TrackedJob* job = state_.jobs.find(ref);
  if (job == nullptr) return false;
  commands_.cancel(*job, cause, std::move(then));
  return true;
}

void SlurmSite::submit(const bridge::SubmitJob& job, const Cause& cause, CommandReply then) {
  commands_.submit(job, cause, std::move(then));
}

void SlurmSite::hand_over(JobId job, const std::string& why, Time now) {
  reconciler_.hand_over(state_.jobs.at(job), why, now);
}

std::optional<std::string> SlurmSite::why_not_start(JobId id) const {
  const TrackedJob* job = find(id);
  return job == nullptr ? "it is not a job of ours" : penstock::why_not_start(*job);
}

std::optional<std::string> SlurmSite::why_not_shaped(JobId id, const Placement& where) const {
  const TrackedJob* job = find(id);
  if (job == nullptr || is_elastic(*job) || job->shape.gpus_per_node == 0 || job->shape.nodes == 0)
    return std::nullopt;
  const auto share = even_share(where, state_.context.cluster, state_.mirror);
  if (share && share->nodes.size() == job->shape.nodes &&
      share->gpus_each == job->shape.gpus_per_node)
    return std::nullopt;
  return fmt::format("its user asked for {} GPUs on each of {} nodes", job->shape.gpus_per_node,
                     job->shape.nodes);
}

std::vector<AgentOrder> SlurmSite::plan_for(const std::string& node) const {
  std::vector<AgentOrder> plan;
  for (const auto& [id, ref] : state_.jobs.refs_by_id()) {
    const TrackedJob& job = *find(ref);
    if (!job.runs || !job.confirmed || job.clock_mhz == 0 || job.kind.empty()) continue;
    for (const SlurmJob::Held& held : job.seen.gpus_held)
      if (held.node == node)
        for (const std::uint32_t index : held.indices)
          plan.push_back({index, job.clock_mhz, job.seen.number});
  }
  std::ranges::sort(plan, {}, &AgentOrder::index);
  const auto twice = std::ranges::unique(plan, {}, &AgentOrder::index);
  plan.erase(twice.begin(), twice.end());
  return plan;
}

}  // namespace penstock
