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
      local_(cluster.nodes.size(), kElsewhere),
      whole_in_rack_(cluster.racks, 0) {
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    if (node.site != site || node.type != type) continue;
    local_[i] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(
        {.id = NodeId{i}, .gpus = {node.first, node.gpus}, .rack = node.rack, .free = node.gpus});
    free_.insert(members_.back().gpus);
    total_ += node.gpus;
    largest_node_ = std::max(largest_node_, node.gpus);
  }
  free_count_ = total_;
  const auto size = static_cast<std::uint32_t>(members_.size());
  by_free_.assign(largest_node_ + 1, NodeSet(size));
  by_block_.assign(std::bit_width(largest_node_), NodeSet(size));
  some_free_ = NodeSet(size);
  whole_ = NodeSet(size);
  for (std::uint32_t i = 0; i < size; ++i) index(i);
}

void Pool::unindex(std::uint32_t local) {
  Member& member = members_[local];
  by_free_[member.free].erase(local);
  some_free_.erase(local);
  if (wholly_free(member)) {
    whole_.erase(local);
    whole_in_rack_[member.rack.index] -= member.gpus.count;
    whole_gpus_ -= member.gpus.count;
  }
  for (std::uint64_t rest = member.blocks; rest != 0; rest &= rest - 1)
    by_block_[static_cast<std::size_t>(std::countr_zero(rest))].erase(local);
  member.blocks = 0;
}

void Pool::index(std::uint32_t local) {
  Member& member = members_[local];
  if (!member.up) return;
  by_free_[member.free].insert(local);
  if (member.free > 0) some_free_.insert(local);
  if (wholly_free(member)) {
    whole_.insert(local);
    whole_in_rack_[member.rack.index] += member.gpus.count;
    whole_gpus_ += member.gpus.count;
  }
  if (rule_ != PlaceRule::buddy) return;
  member.blocks = maximal_blocks(member);
  for (std::uint64_t rest = member.blocks; rest != 0; rest &= rest - 1)
    by_block_[static_cast<std::size_t>(std::countr_zero(rest))].insert(local);
}

void Pool::take(const Placement& where) {
  for (const GpuRange& range : where) {
    const std::uint32_t local = local_[cluster_->node_of[range.first.index].index];
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
    const std::uint32_t local = local_[cluster_->node_of[range.first.index].index];
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

std::optional<Placement> Pool::place(std::uint32_t gpus) const {
  if (gpus > free_count_) return std::nullopt;
  switch (rule_) {
    case PlaceRule::first_fit:
      return spread_lowest(gpus);
    case PlaceRule::best_fit: {
      auto where = gpus <= largest_node_ ? one_node(gpus) : std::nullopt;
      return where ? std::move(where) : spread_fullest(gpus);
    }
    case PlaceRule::consolidate:
      return gpus <= largest_node_ ? one_node(gpus) : fewest_nodes(gpus);
    case PlaceRule::buddy:
      return gpus <= largest_node_ ? one_block(gpus) : fewest_nodes(gpus);
  }
  return std::nullopt;
}

std::optional<Placement> Pool::spread_lowest(std::uint32_t gpus) const {
  Placement where;
  for (auto at = some_free_.first(); at && gpus > 0; at = some_free_.first(*at + 1)) {
    const std::uint32_t count = std::min(gpus, members_[*at].free);
    free_.lowest(members_[*at].gpus, count, where);
    gpus -= count;
  }
  return where;
}

std::optional<Placement> Pool::one_node(std::uint32_t gpus) const {
  for (std::uint32_t free = gpus; free <= largest_node_; ++free) {
    const auto at = by_free_[free].first();
    if (!at) continue;
    Placement where;
    free_.lowest(members_[*at].gpus, gpus, where);
    return where;
  }
  return std::nullopt;
}

std::optional<Placement> Pool::one_block(std::uint32_t gpus) const {
  const auto smallest = static_cast<unsigned>(std::bit_width(gpus - 1));
  for (unsigned order = smallest; order < by_block_.size(); ++order) {
    const auto at = by_block_[order].first();
    if (!at) continue;
    return Placement{{block_start(members_[*at], order), gpus}};
  }
  // A node whose size is no power of two can be free as a whole without being a block.
  return gpus > (1u << (by_block_.size() - 1)) ? one_node(gpus) : std::nullopt;
}

std::optional<Placement> Pool::spread_fullest(std::uint32_t gpus) const {
  std::vector<Piece> pieces;
  for (std::uint32_t free = largest_node_; free > 0; --free) {
    for (auto at = by_free_[free].first(); at; at = by_free_[free].first(*at + 1)) {
      if (gpus < free) {  // the last piece goes where it leaves the fewest GPUs over
        if (gpus > 0) pieces.push_back({smallest_holding(gpus, free, {}).value_or(*at), gpus});
        return assemble(std::move(pieces));
      }
      pieces.push_back({*at, free});
      gpus -= free;
    }
  }
  PENSTOCK_CHECK(gpus == 0);
  return assemble(std::move(pieces));
}

std::optional<std::uint32_t> Pool::smallest_holding(std::uint32_t gpus, std::uint32_t below,
                                                    const std::vector<Piece>& taken) const {
  for (std::uint32_t free = gpus; free < below; ++free)
    for (auto at = by_free_[free].first(); at; at = by_free_[free].first(*at + 1))
      if (std::ranges::find(taken, *at, &Piece::member) == taken.end()) return at;
  return std::nullopt;
}

std::optional<Placement> Pool::fewest_nodes(std::uint32_t gpus) const {
  if (whole_gpus_ + largest_node_ <= gpus) return std::nullopt;  // one piece may be partial
  if (const auto rack = tightest_rack(gpus)) return whole_nodes(gpus, rack);
  return whole_nodes(gpus, std::nullopt);
}

std::optional<RackId> Pool::tightest_rack(std::uint32_t gpus) const {
  std::optional<RackId> best;
  for (std::uint32_t i = 0; i < whole_in_rack_.size(); ++i) {
    if (whole_in_rack_[i] < gpus) continue;
    if (!best || whole_in_rack_[i] < whole_in_rack_[best->index]) best = RackId{i};
  }
  return best;
}

std::vector<std::uint32_t> Pool::whole_members(std::optional<RackId> rack) const {
  std::vector<std::uint32_t> found;
  for (auto at = whole_.first(); at; at = whole_.first(*at + 1))
    if (!rack || members_[*at].rack == *rack) found.push_back(*at);
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [&](std::uint32_t i) { return members_[i].gpus.count; });
  return found;
}

std::optional<Placement> Pool::whole_nodes(std::uint32_t gpus, std::optional<RackId> rack) const {
  std::vector<Piece> pieces;
  std::optional<std::uint32_t> left_over;  // a whole node larger than what is still wanted
  for (const std::uint32_t at : whole_members(rack)) {
    const std::uint32_t size = members_[at].gpus.count;
    if (gpus < size) {
      left_over = at;
      break;
    }
    pieces.push_back({at, size});
    gpus -= size;
  }
  if (gpus == 0) return assemble(std::move(pieces));
  // The last piece fills up a node in use, if one has room.
  const std::uint32_t below = left_over ? members_[*left_over].gpus.count : largest_node_;
  auto last = rack ? std::nullopt : smallest_holding(gpus, below, pieces);
  if (!last) last = left_over;
  if (!last) return std::nullopt;
  pieces.push_back({*last, gpus});
  return assemble(std::move(pieces));
}

Placement Pool::assemble(std::vector<Piece> pieces) const {
  std::ranges::sort(pieces, {}, &Piece::member);
  Placement where;
  for (const Piece& piece : pieces) free_.lowest(members_[piece.member].gpus, piece.gpus, where);
  return where;
}

std::uint64_t Pool::maximal_blocks(const Member& member) const {
  std::uint64_t found = 0;
  for (unsigned order = 0; order < by_block_.size(); ++order)
    if (find_block(member, order)) found |= 1ull << order;
  return found;
}

GpuId Pool::block_start(const Member& member, unsigned order) const {
  const auto start = find_block(member, order);
  PENSTOCK_CHECK(start);
  return *start;
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
