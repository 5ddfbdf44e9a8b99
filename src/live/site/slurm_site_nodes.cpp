// Nodes that must not get new jobs, and GPUs that others hold.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/site/slurm_site.h"

namespace penstock {
namespace {

using Op = PendingOp::Kind;
using Seen = SlurmJob::Phase;

/// The GPUs of one run on one node.
std::string foreign_key(const SlurmJob& job, const SlurmJob::Held& held) {
  return fmt::format("{}@{}#{}*{}", job.ref, held.node,
                     job.started.value_or(Time{}).time_since_epoch().count(), held.indices.size());
}

}  // namespace

void SlurmSite::see_foreign(const SlurmJob& job, Time now) {
  if (!is_foreign(job)) return;
  for (const SlurmJob::Held& held : job.gpus_held) {
    const std::string key = foreign_key(job, held);
    if (foreign_.contains(key) || held.indices.empty() || !mirror_.find(held.node)) continue;
    const auto where = place_of({held}, now);
    if (where)
      foreign_.emplace(key, block("other/" + key, *where, job.submitted.value_or(now), now));
  }
}

void SlurmSite::forget_foreign() {
  std::set<std::string> still;
  for (const auto& [number, shown] : shown_.all())
    if (is_foreign(shown.job))
      for (const SlurmJob::Held& held : shown.job.gpus_held)
        still.insert(foreign_key(shown.job, held));
  std::erase_if(foreign_, [&](const auto& each) {
    if (still.contains(each.first)) return false;
    unblock(each.second);
    return true;
  });
}

void SlurmSite::compare_nodes(Time now) {
  for (const auto& [id, node] : nodes_) compare_node(id, node, now);
}

void SlurmSite::compare_node(NodeId id, const SlurmNode& node, Time now) {
  if (node.can_work()) return node_works(id, node, now);
  if (down_.contains(id)) return;
  if (!drained_.contains(id))
    note(now, nullptr, "node",
         {{"node", node.name}, {"text", node.name + " gets no new jobs: " + node.trouble()}});
  undo_starts_on(id, node.name, now);
  const auto blocked = drained_.find(id);
  const std::uint32_t own = blocked == drained_.end() ? 0 : gpu_count(blocked->second.where);
  if (mirror_.free_on(id) + own < around_.cluster.node(id).gpus) {
    if (mirror_.free_on(id) > 0) block_rest(id, now);
    return;
  }
  unblock_node(id);
  down_.insert(id);
  events_.emplace_back(NodeFailed{id});
}

void SlurmSite::node_works(NodeId id, const SlurmNode& node, Time now) {
  unblock_node(id);
  if (down_.erase(id) == 0) return;
  events_.emplace_back(NodeRepaired{id});
  note(now, nullptr, "node", {{"node", node.name}, {"text", node.name + " can work again"}});
}

/// The scheduler believes that it sleeps: it is told that the node fails, and at the next look that
/// it can work.
void SlurmSite::stays_awake(NodeId id) {
  if (mirror_.free_on(id) < around_.cluster.node(id).gpus || !down_.insert(id).second) return;
  events_.emplace_back(NodeFailed{id});
  next_nodes_ = {};
}

bool SlurmSite::is_on(const TrackedJob& job, NodeId node) const {
  return std::ranges::any_of(job.where, [&](const GpuRange& range) {
    return around_.cluster.node_of[range.first.index] == node;
  });
}

void SlurmSite::undo_starts_on(NodeId id, const std::string& name, Time now) {
  for (auto& [ref, job] : jobs_)
    if (is_on(job, id) && job.op.kind == Op::starting && job.seen.phase == Seen::pending &&
        !was_told_apart(job))
      undo_start(job, name + " cannot work", now);
}

void SlurmSite::unblock_node(NodeId node) {
  const auto blocked = drained_.find(node);
  if (blocked == drained_.end()) return;
  unblock(blocked->second);
  drained_.erase(blocked);
}

void SlurmSite::block_rest(NodeId node, Time now) {
  unblock_node(node);
  Placement where;
  mirror_.pick(node, mirror_.free_on(node), where);
  drained_.emplace(node, block("drained/" + mirror_.name(node), where, now, now));
}

}  // namespace penstock
