#include "policies/recorded_nodes.h"

#include <algorithm>

namespace penstock {
namespace {

GpuRange gpus_of(const Node& node) {
  return {node.first, node.gpus};
}

/// Is that the one that was written down, or is there none of that name?
template <class Named>
bool is_meant(const std::string& name, const Named& here, const std::vector<Named>& all) {
  return here.name == name || std::ranges::find(all, name, &Named::name) == all.end();
}

/// May the job run there, and did it run on the like?
bool suits(const RecordedNodes::Wanted& wanted, const Node& node, const Cluster& cluster) {
  if ((wanted.job.gpu_types >> node.type.index & 1) == 0) return false;
  if (wanted.at != kNoSite && node.site != wanted.at) return false;
  return is_meant(wanted.run.site, cluster.sites[node.site.index], cluster.sites) &&
         is_meant(wanted.run.type, cluster.type(node), cluster.types);
}

void take(GpuSet& free, const Placement& where) {
  for (const GpuRange& range : where) free.erase(range);
}

/// So many of each node's; nothing if one has not.
std::optional<Placement> of_each(const std::set<NodeId>& nodes, std::uint32_t each,
                                 const State& state, const GpuSet& free) {
  Placement where;
  for (const NodeId id : nodes) {
    const GpuRange all = gpus_of(state.cluster().node(id));
    if (state.node(id).phase == NodePhase::down || free.count(all) < each) return std::nullopt;
    free.lowest(all, each, where);
  }
  return where;
}

/// For who has no record of nodes, or another number of GPUs than it: on one node if that can be.
std::optional<Placement> anywhere(const RecordedNodes::Wanted& wanted, const State& state,
                                  const GpuSet& free) {
  const Cluster& cluster = state.cluster();
  std::map<std::pair<SiteId, GpuTypeId>, std::vector<NodeId>> pools;
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    if (!suits(wanted, node, cluster) || state.node(NodeId{i}).phase == NodePhase::down) continue;
    if (free.count(gpus_of(node)) >= wanted.gpus)
      return of_each({NodeId{i}}, wanted.gpus, state, free);
    pools[{node.site, node.type}].push_back(NodeId{i});
  }
  for (const auto& [pool, nodes] : pools) {
    Placement where;
    std::uint32_t missing = wanted.gpus;
    for (const NodeId id : nodes) {
      const GpuRange all = gpus_of(cluster.node(id));
      const std::uint32_t some = std::min(missing, free.count(all));
      free.lowest(all, some, where);
      missing -= some;
    }
    if (missing == 0) return where;
  }
  return std::nullopt;
}

}  // namespace

RecordedNodes::RecordedNodes(const RecordedRuns& runs) {
  for (const auto& [job, all] : runs)
    for (const RecordedRun& run : all)
      for (const std::string& node : run.nodes) {
        std::uint32_t& most = most_[{run.site, node}];
        most = std::max(most, run.gpus / static_cast<std::uint32_t>(run.nodes.size()));
      }
}

/// The smallest that will do for all runs.
std::optional<NodeId> RecordedNodes::stand_in(const Wanted& wanted, const std::string& node,
                                              const State& state) {
  const Cluster& cluster = state.cluster();
  const Name name{wanted.run.site, node};
  if (const auto found = known_.find(name); found != known_.end())
    return suits(wanted, cluster.node(found->second), cluster) ? std::optional(found->second)
                                                               : std::nullopt;
  std::optional<NodeId> best;
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& each = cluster.nodes[i];
    if (taken_.contains(NodeId{i}) || each.gpus < most_.at(name)) continue;
    if (best && cluster.node(*best).gpus <= each.gpus) continue;
    if (suits(wanted, each, cluster)) best = NodeId{i};
  }
  if (!best) return std::nullopt;
  taken_.insert(*best);
  known_.emplace(name, *best);
  return best;
}

std::optional<std::set<NodeId>> RecordedNodes::as_recorded(const Wanted& wanted,
                                                           const State& state) {
  std::set<NodeId> nodes;
  for (const std::string& name : wanted.run.nodes) {
    const auto node = stand_in(wanted, name, state);
    if (!node) return std::nullopt;
    nodes.insert(*node);
  }
  return nodes;
}

std::optional<Placement> RecordedNodes::place(const Wanted& wanted, const State& state,
                                              GpuSet& free) {
  const auto count = static_cast<std::uint32_t>(wanted.run.nodes.size());
  std::optional<Placement> where;
  const bool even = count > 0 && wanted.gpus % count == 0;
  const auto nodes = even ? as_recorded(wanted, state) : std::nullopt;
  where = nodes ? of_each(*nodes, wanted.gpus / count, state, free) : anywhere(wanted, state, free);
  if (where) take(free, *where);
  return where;
}

}  // namespace penstock
