#include "policies/order/drain.h"

#include <algorithm>
#include <map>

namespace penstock {
namespace {

struct Release {
  Time when{};
  std::uint32_t gpus = 0;
};

/// When `wanted` GPUs of a node with `free` of them will be free.
Time ready_time(std::vector<Release>& releases, std::uint32_t free, std::uint32_t wanted) {
  std::ranges::sort(releases, {}, &Release::when);
  Time ready = Time::min();
  for (const Release& release : releases) {
    if (free >= wanted) break;
    free += release.gpus;
    ready = release.when;
  }
  return ready;
}

}  // namespace

std::vector<NodeId> nodes_to_drain(const State& state, const Pool& pool, std::uint32_t gpus,
                                   const std::function<Time(JobId)>& believed_end) {
  const Cluster& cluster = state.cluster();
  std::map<NodeId, std::vector<Release>> releases;
  for (const JobState& job : state.running())
    for (const GpuRange& range : job.where)
      releases[cluster.node_of[range.first.index]].push_back(
          {believed_end(job.job.id), range.count});

  struct Candidate {
    Time ready{};
    NodeId node{};
    std::uint32_t gpus = 0;
  };
  std::vector<Candidate> candidates;
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const NodeId node{i};
    const std::uint32_t size = cluster.nodes[i].gpus;
    if (!pool.holds(node) || state.node(node).phase == NodePhase::down) continue;
    if (gpus <= pool.largest_node() && size < gpus) continue;
    const std::uint32_t wanted = std::min(gpus, size);
    candidates.push_back({ready_time(releases[node], state.node(node).free, wanted), node, wanted});
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.ready, a.node) < std::pair(b.ready, b.node);
  });
  std::vector<NodeId> chosen;
  for (const Candidate& candidate : candidates) {
    if (gpus == 0) break;
    chosen.push_back(candidate.node);
    gpus -= std::min(gpus, candidate.gpus);
  }
  return chosen;
}

}  // namespace penstock
