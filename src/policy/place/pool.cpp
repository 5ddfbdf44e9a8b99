#include "policy/place/pool.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace penstock {

std::optional<PlaceRule> place_rule_named(std::string_view name) {
  struct Row {
    std::string_view name;
    PlaceRule rule;
  };
  static constexpr auto kRules = std::to_array<Row>({{"first-fit", PlaceRule::first_fit},
                                                     {"best-fit", PlaceRule::best_fit},
                                                     {"consolidate", PlaceRule::consolidate},
                                                     {"buddy", PlaceRule::buddy}});
  const auto* row = std::ranges::find(kRules, name, &Row::name);
  return row == kRules.end() ? std::nullopt : std::optional(row->rule);
}

Pool::Pool(const Cluster& cluster, SiteId site, GpuTypeId type, PlaceRule rule)
    : cluster_(&cluster),
      site_(site),
      type_(type),
      rule_(rule),
      free_(cluster.gpu_count()),
      local_(cluster.nodes.size(), kElsewhere) {
  std::vector<IdleNodes::Shape> shapes;
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    if (node.site != site || node.type != type) continue;
    local_[i] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(
        {.id = NodeId{i}, .gpus = {node.first, node.gpus}, .rack = node.rack, .free = node.gpus});
    shapes.push_back({node.rack, node.gpus});
    free_.insert(members_.back().gpus);
    total_ += node.gpus;
    largest_node_ = std::max(largest_node_, node.gpus);
  }
  free_count_ = total_;
  const auto size = static_cast<std::uint32_t>(members_.size());
  by_free_ = NodeShelves(largest_node_, size);
  if (rule == PlaceRule::buddy) {
    by_block_.assign(std::bit_width(largest_node_), NodeShelves(largest_node_, size));
    odd_by_free_ = NodeShelves(largest_node_, size);
  }
  some_free_ = NodeSet(size);
  idle_ = IdleNodes(std::move(shapes));
  for (std::uint32_t i = 0; i < size; ++i) index(i);
}

void Pool::unindex(std::uint32_t local) {
  Member& member = members_[local];
  by_free_.erase(member.free, local);
  some_free_.erase(local);
  if (wholly_free(member)) {
    idle_.erase(local);
    return;
  }
  if (rule_ != PlaceRule::buddy) return;
  for (std::uint64_t rest = member.blocks; rest != 0; rest &= rest - 1)
    by_block_[static_cast<std::size_t>(std::countr_zero(rest))].erase(member.free, local);
  if (!std::has_single_bit(member.gpus.count)) odd_by_free_.erase(member.free, local);
}

void Pool::index(std::uint32_t local) {
  Member& member = members_[local];
  if (!member.up) return;
  by_free_.insert(member.free, local);
  if (member.free > 0) some_free_.insert(local);
  if (rule_ == PlaceRule::buddy) member.blocks = maximal_blocks(member);
  if (wholly_free(member)) {
    idle_.insert(local);
    return;
  }
  if (rule_ != PlaceRule::buddy) return;
  for (std::uint64_t rest = member.blocks; rest != 0; rest &= rest - 1)
    by_block_[static_cast<std::size_t>(std::countr_zero(rest))].insert(member.free, local);
  if (!std::has_single_bit(member.gpus.count)) odd_by_free_.insert(member.free, local);
}

void Pool::take(const Placement& where) {
  for (const GpuRange& range : where) {
    const std::uint32_t local = local_of(range);
    PENSTOCK_CHECK(free_.contains_all(range));
    unindex(local);
    free_.erase(range);
    members_[local].free -= range.count;
    free_count_ -= range.count;
    index(local);
  }
}

void Pool::give(const Placement& where) {
  for (const GpuRange& range : where) {
    const std::uint32_t local = local_of(range);
    PENSTOCK_CHECK(free_.contains_none(range));
    unindex(local);
    free_.insert(range);
    members_[local].free += range.count;
    free_count_ += range.count;
    index(local);
  }
}

void Pool::node_down(NodeId node) {
  const std::uint32_t local = local_[node.index];
  Member& member = members_[local];
  PENSTOCK_CHECK(wholly_free(member));
  unindex(local);
  member.up = false;
  free_count_ -= member.free;
}

void Pool::node_up(NodeId node) {
  const std::uint32_t local = local_[node.index];
  Member& member = members_[local];
  PENSTOCK_CHECK(!member.up);
  member.up = true;
  free_count_ += member.free;
  index(local);
}

void Pool::close(NodeId node) {
  const std::uint32_t local = local_[node.index];
  if (!members_[local].up) return;
  unindex(local);
  free_count_ -= members_[local].free;
}

void Pool::open(NodeId node) {
  const std::uint32_t local = local_[node.index];
  if (!members_[local].up) return;
  free_count_ += members_[local].free;
  index(local);
}

void Pool::set_asleep(NodeId node, bool asleep) {
  idle_.set_asleep(local_[node.index], asleep);
}

std::uint64_t Pool::maximal_blocks(const Member& member) const {
  std::uint64_t found = 0;
  for (unsigned order = 0; order < by_block_.size(); ++order)
    if (find_block(member, order)) found |= 1ull << order;
  return found;
}

std::optional<GpuId> Pool::find_block(const Member& member, unsigned order) const {
  const std::uint32_t size = 1u << order;
  const auto is_free = [&](std::uint32_t offset, std::uint32_t count) {
    return offset + count <= member.gpus.count &&
           free_.contains_all({GpuId{member.gpus.first.index + offset}, count});
  };
  for (std::uint32_t offset = 0; offset + size <= member.gpus.count; offset += size)
    if (is_free(offset, size) && !is_free(offset & ~(2 * size - 1), 2 * size))
      return GpuId{member.gpus.first.index + offset};
  return std::nullopt;
}

std::vector<Pool> make_pools(const Cluster& cluster, PlaceRule rule) {
  std::vector<Pool> pools;
  for (std::uint32_t site = 0; site < cluster.sites.size(); ++site)
    for (std::uint32_t type = 0; type < cluster.types.size(); ++type) {
      Pool pool(cluster, SiteId{site}, GpuTypeId{type}, rule);
      if (pool.total() > 0) pools.push_back(std::move(pool));
    }
  return pools;
}

}  // namespace penstock
