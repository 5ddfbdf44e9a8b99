// How a packing is rearranged: room for one job, and nodes that can sleep.

#include <algorithm>
#include <utility>

#include "policy/place/packing.h"
#include "policy/place/rearrangement.h"

namespace penstock {
namespace {

/// Of the blocks that could be emptied, so many of the cheapest are tried.
constexpr std::size_t kTries = 8;

GpuRange all_of(const Node& node) {
  return {node.first, node.gpus};
}

std::optional<std::vector<Move>> empty_a_block(Rearrangement& plan, std::uint32_t gpus) {
  std::optional<std::vector<Move>> best;
  double least = Rearrangement::kNoLimit;
  const auto start = plan.stage();
  for (const auto& block : plan.cheapest_blocks(gpus, kTries)) {
    if (block.cost >= least) break;
    plan.reserve(block.gpus);
    if (plan.settle({.cost = least})) {
      best = plan.moves();
      least = plan.cost();
    }
    plan.back_to(start);
  }
  return best;
}

}  // namespace

std::optional<std::vector<Move>> Packing::make_room(std::uint32_t gpus,
                                                    const MoveCost& cost) const {
  if (gpus > free()) return std::nullopt;
  if (place(gpus)) return std::vector<Move>{};
  Rearrangement plan(*this, cost);
  if (gpus <= pool_.largest_node()) return empty_a_block(plan, gpus);
  return empty_whole_nodes(plan, gpus);
}

std::optional<std::vector<Move>> Packing::empty_whole_nodes(Rearrangement& plan,
                                                            std::uint32_t gpus) const {
  std::vector<Candidate> candidates;  // by what a GPU costs, the idle ones first
  for (const NodeId id : nodes_) {
    if (!pool_.is_up(id)) continue;
    const Node& node = cluster_->node(id);
    if (const auto cost = plan.cost_of(all_of(node), node.gpus))
      candidates.push_back({id, is_idle(id) ? -1 : *cost / node.gpus});
  }
  std::ranges::sort(candidates, {}, [](const Candidate& c) { return std::pair(c.rank, c.node); });
  for (auto at = candidates.begin(); gpus > 0 && at != candidates.end(); ++at) {
    plan.reserve(all_of(cluster_->node(at->node)));
    gpus -= std::min(gpus, cluster_->node(at->node).gpus);
  }
  if (gpus > 0 || !plan.settle({})) return std::nullopt;
  return plan.moves();
}

std::vector<Packing::Candidate> Packing::worth_emptying(
    const Rearrangement& plan, const std::function<double(NodeId)>& worth) const {
  std::vector<Candidate> candidates;
  for (const NodeId id : nodes_) {
    if (!pool_.is_up(id) || is_idle(id)) continue;
    const Node& node = cluster_->node(id);
    const auto cost = plan.cost_of(all_of(node), node.gpus + 1);
    const double gain = cost ? worth(id) - *cost : 0;
    if (gain > 0) candidates.push_back({id, -gain / (node.gpus - pool_.free_on(id))});
  }
  std::ranges::sort(candidates, {}, [](const Candidate& c) { return std::pair(c.rank, c.node); });
  return candidates;
}

std::vector<Move> Packing::empty_nodes(const MoveCost& cost,
                                       const std::function<double(NodeId)>& worth) const {
  Rearrangement plan(*this, cost);
  const std::vector<Candidate> candidates = worth_emptying(plan, worth);
  for (const NodeId id : nodes_)  // never filled to empty another
    if (pool_.is_up(id) && is_idle(id)) plan.reserve(all_of(cluster_->node(id)));
  for (const Candidate& candidate : candidates) {
    const Node& node = cluster_->node(candidate.node);
    if (plan.free() < node.gpus) continue;                     // too little is free elsewhere
    if (!plan.cost_of(all_of(node), node.gpus + 1)) continue;  // others have moved here
    const auto before = plan.stage();
    plan.reserve(all_of(node));
    if (!plan.settle({.displace = false})) plan.back_to(before);
  }
  return plan.moves();
}

}  // namespace penstock
