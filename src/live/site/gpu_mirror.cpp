#include "live/site/gpu_mirror.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {

GpuMirror::GpuMirror(const Cluster& cluster, SiteId site, const std::vector<std::string>& names)
    : cluster_(cluster), names_(names), free_(cluster.gpu_count()) {
  const auto first = std::ranges::find(cluster.nodes, site, &Node::site);
  first_ = NodeId{static_cast<std::uint32_t>(first - cluster.nodes.begin())};
  PENSTOCK_CHECK(first_.index + names.size() <= cluster.nodes.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    PENSTOCK_CHECK(cluster.node(at(i)).site == site);
    by_name_.emplace(names[i], at(i));
    free_.insert(range_of(at(i)));
  }
}

GpuRange GpuMirror::range_of(NodeId node) const {
  return {cluster_.node(node).first, cluster_.node(node).gpus};
}

std::optional<NodeId> GpuMirror::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t GpuMirror::free_on(NodeId node) const {
  return free_.count(range_of(node));
}

void GpuMirror::pick(NodeId node, std::uint32_t count, Placement& where) const {
  PENSTOCK_CHECK(free_on(node) >= count);
  free_.lowest(range_of(node), count, where);
}

void GpuMirror::take(const Placement& where) {
  for (const GpuRange& range : where) {
    PENSTOCK_CHECK(free_.contains_all(range));
    free_.erase(range);
  }
}

void GpuMirror::give_back(const Placement& where) {
  for (const GpuRange& range : where) {
    PENSTOCK_CHECK(free_.contains_none(range));
    free_.insert(range);
  }
}

std::optional<NodeShare> even_share(const Placement& where, const Cluster& cluster,
                                    const GpuMirror& mirror) {
  std::vector<std::pair<NodeId, std::uint32_t>> counts;
  for (const GpuRange& range : where) {
    const NodeId node = cluster.node_of[range.first.index];
    if (counts.empty() || counts.back().first != node) counts.emplace_back(node, 0);
    counts.back().second += range.count;
  }
  NodeShare share{.gpus_each = counts.front().second};
  for (const auto& [node, count] : counts) {
    if (count != share.gpus_each) return std::nullopt;
    share.nodes.push_back(mirror.name(node));
  }
  return share;
}

bool has_gpus_of(const std::vector<SlurmJob::Held>& held, const Placement& where,
                 const Cluster& cluster, const GpuMirror& mirror) {
  std::map<NodeId, std::uint32_t> asked;
  for (const GpuRange& range : where) asked[cluster.node_of[range.first.index]] += range.count;
  std::map<NodeId, std::uint32_t> has;
  for (const SlurmJob::Held& each : held)
    if (const auto node = mirror.find(each.node))
      has[*node] += static_cast<std::uint32_t>(each.indices.size());
  return asked == has;
}

bool is_on(const Placement& where, NodeId node, const Cluster& cluster) {
  return std::ranges::any_of(
      where, [&](const GpuRange& range) { return cluster.node_of[range.first.index] == node; });
}

}  // namespace penstock
