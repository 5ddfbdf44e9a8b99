#include "report/node_runs.h"

namespace penstock {
namespace {

/// The nodes from `at` on that are alike and under one switch.
NodeRun one_rack(const Cluster& cluster, std::uint32_t at, std::uint32_t end) {
  const Node& first = cluster.nodes[at];
  std::uint32_t count = 0;
  for (; at < end; ++at, ++count) {
    const Node& node = cluster.nodes[at];
    if (node.rack != first.rack || node.gpus != first.gpus || node.type != first.type) break;
  }
  return {count, first.gpus, cluster.type(first).name, count};
}

bool goes_on(const NodeRun& run, const NodeRun& rack) {
  return run.gpus == rack.gpus && run.type == rack.type && run.nodes % run.per_rack == 0 &&
         rack.nodes <= run.per_rack;
}

}  // namespace

std::vector<NodeRun> node_runs(const Cluster& cluster, SiteId site) {
  std::vector<NodeRun> runs;
  std::uint32_t at = cluster.sites[site.index].first_node.index;
  const std::uint32_t end = at + cluster.sites[site.index].nodes;
  while (at < end) {
    NodeRun rack = one_rack(cluster, at, end);
    at += rack.nodes;
    if (!runs.empty() && goes_on(runs.back(), rack))
      runs.back().nodes += rack.nodes;
    else
      runs.push_back(std::move(rack));
  }
  return runs;
}

}  // namespace penstock
