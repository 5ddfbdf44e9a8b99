// How a packing is rearranged: room for one job, and nodes that can sleep.
#include "policy/place/packing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace penstock {

Packing::Packing(const Cluster& cluster, SiteId site, GpuTypeId type)
    : cluster_(&cluster),
      pool_(cluster, site, type, PlaceRule::buddy),
      capacity_(pool_.total()),
      holder_(cluster.gpu_count(), kNobody) {
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i)
    if (pool_.holds(NodeId{i})) nodes_.push_back(NodeId{i});
}

const Placement* Packing::of(JobId job) const {
  const Held* held = held_.find(job.index);
  return held == nullptr ? nullptr : &held->where;
}

std::optional<JobId> Packing::holder(GpuId gpu) const {
  const std::uint32_t job = holder_[gpu.index];
  return job == kNobody ? std::nullopt : std::optional(JobId{job});
}

std::optional<Placement> Packing::place_instead(JobId job, std::uint32_t gpus) const {
  const Placement* own = of(job);
  return own == nullptr ? pool_.place(gpus) : pool_.place_instead(*own, gpus);
}

void Packing::mark(const Placement& where, std::uint32_t holder) {
  for (const GpuRange& range : where)
    std::fill_n(holder_.begin() + range.first.index, range.count, holder);
}

void Packing::take(JobId job, Placement where) {
  pool_.take(where);
  mark(where, job.index);
  Held& held = held_.insert(job.index);
  held.gpus = gpu_count(where);
  held.where = std::move(where);
}

void Packing::give(JobId job) {
  const Placement& where = held_.at(job.index).where;
  pool_.give(where);
  mark(where, kNobody);
  held_.erase(job.index);
}

void Packing::node_down(NodeId node) {
  pool_.node_down(node);
  capacity_ -= cluster_->node(node).gpus;
}

void Packing::node_up(NodeId node) {
  pool_.node_up(node);
  capacity_ += cluster_->node(node).gpus;
}

namespace {

auto rank_of(const Rearrangement::Block& block) {
  return std::pair(block.cost, block.gpus.first);
}

}  // namespace

Rearrangement::Rearrangement(const Packing& packing, const MoveCost& cost)
    : packing_(&packing), cost_of_(&cost), pool_(packing.pool_), holder_(packing.holder_) {}

std::optional<double> Rearrangement::cost_of(const GpuRange& gpus, std::uint32_t below) const {
  double sum = 0;
  std::uint32_t last = kNobody;
  const std::uint32_t end = gpus.first.index + gpus.count;
  for (std::uint32_t i = gpus.first.index; i < end; ++i) {
    const std::uint32_t job = holder_[i];
    if (job == last || job == kNobody) continue;
    if (job == kReserved || held(job).gpus >= below) return std::nullopt;
    last = job;
    // A job in several parts counts with its first.
    if (std::find(holder_.begin() + gpus.first.index, holder_.begin() + i, job) !=
        holder_.begin() + i)
      continue;
    sum += (*cost_of_)(JobId{job});
  }
  return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
}

void Rearrangement::add_blocks(const Node& node, std::uint32_t gpus,
                               std::vector<Block>& found) const {
  if (node.gpus < gpus) return;
  const std::uint32_t size = std::min(std::bit_ceil(gpus), node.gpus);
  for (std::uint32_t offset = 0; offset + size <= node.gpus; offset += size) {
    const GpuRange block{GpuId{node.first.index + offset}, size};
    if (const auto cost = cost_of(block, gpus)) found.push_back({block, *cost});
  }
}

std::vector<Rearrangement::Block> Rearrangement::cheapest_blocks(std::uint32_t gpus,
                                                                 std::size_t count) const {
  std::vector<Block> found;
  for (const NodeId id : packing_->nodes_)
    if (pool_.is_up(id)) add_blocks(packing_->cluster_->node(id), gpus, found);
  const std::size_t best = std::min(count, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(best), {}, rank_of);
  found.resize(best);
  return found;
}

std::optional<Rearrangement::Block> Rearrangement::cheapest_partly_free(std::uint32_t gpus) const {
  std::vector<Block> found;
  for (const NodeId id : packing_->nodes_)
    if (pool_.is_up(id) && pool_.free_on(id) > 0)
      add_blocks(packing_->cluster_->node(id), gpus, found);
  const auto best = std::ranges::min_element(found, {}, rank_of);
  return best == found.end() ? std::nullopt : std::optional(*best);
}

void Rearrangement::mark(const Placement& where, std::uint32_t holder) {
  for (const GpuRange& range : where)
    std::fill_n(holder_.begin() + range.first.index, range.count, holder);
}

void Rearrangement::take(Placement where) {
  pool_.take(where);
  mark(where, kReserved);
  taken_.push_back(std::move(where));
}

void Rearrangement::displace(JobId job) {
  mark(held(job.index).where, kReserved);
  displaced_.push_back(job);
  unsettled_.push_back(job);
  cost_ += (*cost_of_)(job);
}

void Rearrangement::reserve(const GpuRange& gpus) {
  Placement was_free;
  const std::uint32_t end = gpus.first.index + gpus.count;
  for (std::uint32_t i = gpus.first.index; i < end; ++i) {
    if (holder_[i] == kNobody) {
      const bool extends =
          !was_free.empty() && was_free.back().first.index + was_free.back().count == i;
      if (!extends) was_free.push_back({GpuId{i}, 0});
      ++was_free.back().count;
    } else if (holder_[i] != kReserved) {
      displace(JobId{holder_[i]});
    }
  }
  take(std::move(was_free));
}

bool Rearrangement::settle(const Limits& limits) {
  const auto rank = [&](JobId job) { return std::tuple(~held(job.index).gpus, job); };
  while (!unsettled_.empty()) {
    if (cost_ >= limits.cost) return false;
    const auto largest = std::ranges::min_element(unsettled_, {}, rank);
    const JobId job = *largest;
    unsettled_.erase(largest);
    auto where = settle_one(job, limits.displace);
    if (!where) return false;
    moves_.push_back({job, std::move(*where)});
  }
  return cost_ < limits.cost;
}

std::optional<Placement> Rearrangement::settle_one(JobId job, bool displace) {
  const std::uint32_t gpus = held(job.index).gpus;
  auto where = pool_.place(gpus);
  if (where) {
    take(*where);
    return where;
  }
  const auto block = displace ? cheapest_partly_free(gpus) : std::nullopt;
  if (!block) return std::nullopt;
  reserve(block->gpus);
  return Placement{{block->gpus.first, gpus}};
}

void Rearrangement::back_to(const Stage& stage) {
  for (; taken_.size() > stage.taken; taken_.pop_back()) {
    pool_.give(taken_.back());
    mark(taken_.back(), kNobody);
  }
  for (; displaced_.size() > stage.displaced; displaced_.pop_back())
    mark(held(displaced_.back().index).where, displaced_.back().index);
  unsettled_.clear();
  moves_.resize(stage.moves);
  cost_ = stage.cost;
}

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
