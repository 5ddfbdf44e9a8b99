#include "live/site/node_monitor.h"

#include <nlohmann/json.hpp>

#include "io/json/json_at.h"

namespace penstock {

void NodeMonitor::take(const nlohmann::json& body) {
  for (const nlohmann::json& record : list_at(body, "nodes")) {
    const auto node = read_slurm_node(record);
    const auto id = node ? site_.mirror.find(node->name) : std::nullopt;
    if (id) nodes_[*id] = *node;
  }
}

void NodeMonitor::compare_all(Time now) {
  for (const auto& [id, node] : nodes_) compare(id, node, now);
}

void NodeMonitor::compare(NodeId id, const SlurmNode& node, Time now) {
  if (node.can_work()) return on_working(id, node, now);
  if (blocks_.is_down(id)) return;
  if (!blocks_.is_drained(id))
    site_.journal.note(
        now, "node",
        {{"node", node.name}, {"text", node.name + " gets no new jobs: " + node.problem()}});
  undo_starts_on(id, node.name, now);
  if (blocks_.unused_on(id) < site_.context.cluster.node(id).gpus) {
    if (site_.mirror.free_on(id) > 0) blocks_.drain(id, now);
    return;
  }
  blocks_.undrain(id);
  blocks_.set_down(id);
}

void NodeMonitor::on_working(NodeId id, const SlurmNode& node, Time now) {
  blocks_.undrain(id);
  if (!blocks_.set_up(id)) return;
  site_.journal.note(now, "node", {{"node", node.name}, {"text", node.name + " can work again"}});
}

void NodeMonitor::on_power_down_failed(NodeId node) {
  if (site_.mirror.free_on(node) < site_.context.cluster.node(node).gpus) return;
  if (blocks_.set_down(node)) poller_.poll_nodes_at({});
}

void NodeMonitor::undo_starts_on(NodeId id, const std::string& name, Time now) {
  for (auto& [ref, job] : site_.jobs.all())
    if (is_on(job.where, id, site_.context.cluster) && job.op.kind == PendingOp::Kind::starting &&
        job.seen.phase == SlurmJob::Phase::pending && !site_.events.is_held_back(job))
      feed_.undo_start(job, name + " cannot work", now);
}

}  // namespace penstock
