#pragma once

#include <map>
#include <set>
#include <string>

#include "live/site/site_state.h"

namespace penstock {

/// Keeps the scheduler from GPUs and nodes that it must not use. A blocked or drained GPU is shown
/// to it as held by a pinned job; a node that is down, as failed.
class GpuBlocks {
 public:
  /// A job of the scheduler that stands for GPUs used by others.
  struct Block {
    JobId id{};
    Placement where{};
  };

  explicit GpuBlocks(SlurmSiteState& site) : site_(site) {}

  /// Takes GPUs that are free.
  Block block(const std::string& name, const Placement& where, Time submitted, Time now);
  void unblock(const Block& block);

  // Nodes that must not get new jobs.
  /// Takes what is free on a node, besides what is blocked there already.
  void drain(NodeId node, Time now);
  /// Gives back what drain() has taken.
  void undrain(NodeId node);
  bool is_drained(NodeId node) const { return drained_.contains(node); }
  /// GPUs that are free, or only drained.
  std::uint32_t unused_on(NodeId node) const;
  /// False if it was down before.
  bool set_down(NodeId node);
  /// False if it was not down.
  bool set_up(NodeId node);
  bool is_down(NodeId node) const { return down_.contains(node); }
  bool has_bad_nodes() const { return !down_.empty() || !drained_.empty(); }

 private:
  SlurmSiteState& site_;
  std::map<NodeId, Block> drained_;
  std::set<NodeId> down_;  ///< reported to the scheduler as failed
};

}  // namespace penstock
