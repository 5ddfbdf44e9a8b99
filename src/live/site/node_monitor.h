#pragma once

#include <map>
#include <string>

#include "live/site/scheduler_feed.h"

namespace penstock {

/// Nodes as Slurm shows them: those that must not get new jobs are drained in the scheduler's
/// picture, and down once nothing runs on them.
class NodeMonitor {
 public:
  NodeMonitor(SlurmSiteState& site, SlurmPoller& poller, GpuBlocks& blocks, SchedulerFeed& feed)
      : site_(site), poller_(poller), blocks_(blocks), feed_(feed) {}

  /// Stores Slurm's answer; compare_all() acts on it.
  void take(const nlohmann::json& body);
  void compare_all(Time now);
  /// A node was not powered down, contrary to the scheduler's belief: reports that the node has
  /// failed, and after the next poll that it can work.
  void on_power_down_failed(NodeId node);

 private:
  void compare(NodeId id, const SlurmNode& node, Time now);
  void on_working(NodeId id, const SlurmNode& node, Time now);
  void undo_starts_on(NodeId id, const std::string& name, Time now);

  SlurmSiteState& site_;
  SlurmPoller& poller_;
  GpuBlocks& blocks_;
  SchedulerFeed& feed_;
  std::map<NodeId, SlurmNode> nodes_;
};

}  // namespace penstock
