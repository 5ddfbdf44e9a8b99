#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/job/slurm_records.h"
#include "model/cluster.h"
#include "model/placement.h"

namespace penstock {

/// The nodes of one site by Slurm's names, and which of their GPUs the scheduler believes free.
/// Slurm numbers the GPUs of a job as it likes; that a node has so many of them is all that counts.
class GpuMirror {
 public:
  /// `names` are those of the site's nodes, in the order of the cluster's.
  GpuMirror(const Cluster& cluster, SiteId site, const std::vector<std::string>& names);

  std::optional<NodeId> find(const std::string& name) const;
  const std::string& name(NodeId node) const { return names_[node.index - first_.index]; }
  std::size_t count() const { return names_.size(); }
  NodeId at(std::size_t i) const { return {first_.index + static_cast<std::uint32_t>(i)}; }

  std::uint32_t free_on(NodeId node) const;
  /// Appends the lowest `count` free GPUs of a node, which must be there.
  void pick(NodeId node, std::uint32_t count, Placement& where) const;
  void take(const Placement& where);
  void give_back(const Placement& where);

 private:
  GpuRange range_of(NodeId node) const;

  const Cluster& cluster_;
  NodeId first_{};
  std::vector<std::string> names_;
  std::map<std::string, NodeId, std::less<>> by_name_;
  GpuSet free_;
};

/// A placement as Slurm can be asked for it: the same number of GPUs on each node.
struct NodeShare {
  std::vector<std::string> nodes{};
  std::uint32_t gpus_each = 0;
};
/// Nothing if the numbers differ.
std::optional<NodeShare> even_share(const Placement& where, const Cluster& cluster,
                                    const GpuMirror& mirror);
/// Whether what a job holds on each node is as many GPUs as a placement has there.
bool has_gpus_of(const std::vector<SlurmJob::Held>& held, const Placement& where,
                 const Cluster& cluster, const GpuMirror& mirror);

/// Whether a placement has GPUs of a node.
bool is_on(const Placement& where, NodeId node, const Cluster& cluster);

}  // namespace penstock
