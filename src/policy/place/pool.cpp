// Places for jobs that already have one.
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
  by_free_ = NodeBuckets(largest_node_, size);
  if (rule == PlaceRule::buddy) {
    by_block_.assign(std::bit_width(largest_node_), NodeBuckets(largest_node_, size));
    odd_by_free_ = NodeBuckets(largest_node_, size);
  }
  some_free_ = NodeSet(size);
  idle_ = IdleNodes(std::move(shapes));
  for (std::uint32_t i = 0; i < size; ++i) index(i);
}

void Pool::unindex(std::uint32_t local) {
  PoolNode& member = members_[local];
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
  PoolNode& member = members_[local];
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
  PoolNode& member = members_[local];
  PENSTOCK_CHECK(wholly_free(member));
  unindex(local);
  member.up = false;
  free_count_ -= member.free;
}

void Pool::node_up(NodeId node) {
  const std::uint32_t local = local_[node.index];
  PoolNode& member = members_[local];
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

std::uint64_t Pool::maximal_blocks(const PoolNode& member) const {
  std::uint64_t found = 0;
  for (unsigned order = 0; order < by_block_.size(); ++order)
    if (find_block(member, order)) found |= 1ull << order;
  return found;
}

std::optional<GpuId> Pool::find_block(const PoolNode& member, unsigned order) const {
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

namespace {

/// Of the smallest block that holds so many GPUs.
unsigned order_of(std::uint32_t gpus) {
  return static_cast<unsigned>(std::bit_width(gpus - 1));
}

}  // namespace

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
      return gpus <= largest_node_ ? one_node(gpus) : fewest_nodes(gpus, {});
    case PlaceRule::buddy:
      return gpus <= largest_node_ ? one_block(gpus) : fewest_nodes(gpus, {});
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
  const auto at = by_free_.first(gpus);
  if (!at) return std::nullopt;
  Placement where;
  free_.lowest(members_[*at].gpus, gpus, where);
  return where;
}

std::optional<Placement> Pool::one_block(std::uint32_t gpus) const {
  auto at = partly_free_holding(gpus);
  if (!at) at = idle_.smallest(gpus);
  if (!at) return std::nullopt;
  Placement where;
  place_on(members_[*at], gpus, where);
  return where;
}

std::optional<std::uint32_t> Pool::partly_free_holding(std::uint32_t gpus) const {
  for (auto order = order_of(gpus); order < by_block_.size(); ++order)
    if (const auto at = by_block_[order].first()) return at;
  // Of a node whose size is no power of two, a job may need more than the largest block.
  for (auto free = odd_by_free_.key(gpus); free; free = odd_by_free_.key(*free + 1)) {
    const NodeSet& nodes = odd_by_free_.of(*free);
    for (auto at = nodes.first(); at; at = nodes.first(*at + 1))
      if (gpus > std::bit_floor(members_[*at].gpus.count)) return at;
  }
  return std::nullopt;
}

void Pool::place_on(const PoolNode& member, std::uint32_t gpus, Placement& where) const {
  for (auto order = order_of(gpus); order < by_block_.size(); ++order) {
    if ((member.blocks >> order & 1) == 0) continue;
    where.push_back({*find_block(member, order), gpus});
    return;
  }
  free_.lowest(member.gpus, gpus, where);
}

std::optional<Placement> Pool::spread_fullest(std::uint32_t gpus) const {
  std::vector<Piece> pieces;
  for (std::uint32_t free = largest_node_; free > 0; --free) {
    for (auto at = by_free_.of(free).first(); at; at = by_free_.of(free).first(*at + 1)) {
      if (gpus < free) {  // the last piece goes where it leaves the fewest GPUs over
        if (gpus > 0) pieces.push_back({smallest_holding(gpus, free, {}).value_or(*at), gpus});
        return assemble(std::move(pieces), {});
      }
      pieces.push_back({*at, free});
      gpus -= free;
    }
  }
  PENSTOCK_CHECK(gpus == 0);
  return assemble(std::move(pieces), {});
}

std::optional<std::uint32_t> Pool::smallest_holding(std::uint32_t gpus, std::uint32_t below,
                                                    const std::vector<Piece>& taken) const {
  for (std::uint32_t free = gpus; free < below; ++free)
    for (auto at = by_free_.of(free).first(); at; at = by_free_.of(free).first(*at + 1))
      if (std::ranges::find(taken, *at, &Piece::node) == taken.end()) return at;
  return std::nullopt;
}

bool Pool::may_hold(std::uint32_t gpus, std::span<const std::uint32_t> kept) const {
  std::uint32_t whole = idle_.gpus();
  for (const std::uint32_t at : kept) whole += members_[at].gpus.count;
  return gpus < whole + largest_node_;  // one piece may be partial
}

std::optional<Placement> Pool::fewest_nodes(std::uint32_t gpus,
                                            std::span<const std::uint32_t> kept) const {
  if (!may_hold(gpus, kept)) return std::nullopt;
  std::vector<Piece> pieces = idle_.whole(gpus, kept);
  for (const Piece& piece : pieces) gpus -= piece.gpus;
  if (gpus > 0) {  // the last piece fills up a node in use, if one has room
    auto last = rule_ == PlaceRule::buddy ? partly_free_holding(gpus)
                                          : smallest_holding(gpus, largest_node_, pieces);
    if (!last || std::ranges::binary_search(kept, *last))
      last = idle_.left_over(gpus, pieces, kept);
    if (!last) return std::nullopt;
    pieces.push_back({*last, gpus});
  }
  return assemble(std::move(pieces), kept);
}

Placement Pool::assemble(std::vector<Piece> pieces, std::span<const std::uint32_t> kept) const {
  std::ranges::sort(pieces, {}, &Piece::node);
  Placement where;
  for (const auto& [at, gpus] : pieces) {
    const PoolNode& member = members_[at];
    if (wholly_free(member) || std::ranges::binary_search(kept, at))
      where.push_back({member.gpus.first, gpus});
    else if (rule_ == PlaceRule::buddy)
      place_on(member, gpus, where);
    else
      free_.lowest(member.gpus, gpus, where);
  }
  return where;
}

namespace {

/// How many GPUs of `range` belong to `where`.
std::uint32_t count_in(const Placement& where, const GpuRange& range) {
  std::uint32_t sum = 0;
  for (const GpuRange& own : where) {
    const std::uint32_t from = std::max(own.first.index, range.first.index);
    const std::uint32_t to = std::min(own.first.index + own.count, range.first.index + range.count);
    sum += to > from ? to - from : 0;
  }
  return sum;
}

}  // namespace

std::optional<Placement> Pool::place_instead(const Placement& own, std::uint32_t gpus) const {
  PENSTOCK_CHECK(rule_ == PlaceRule::buddy);
  const std::uint32_t has = gpu_count(own);
  if (gpus == has) return own;
  if (gpus > free_count_ + has) return std::nullopt;
  const std::vector<Piece> pieces = by_member(own);
  if (gpus > largest_node_) return several_instead(own, pieces, gpus);
  if (auto part = part_of(own, pieces, gpus)) return part;
  for (const Piece& piece : pieces)
    if (auto block = block_around(own, piece, gpus)) return block;
  return place(gpus);
}

std::vector<Piece> Pool::by_member(const Placement& where) const {
  std::vector<Piece> pieces;
  for (const GpuRange& range : where) {
    const std::uint32_t at = local_of(range);
    if (pieces.empty() || pieces.back().node != at) pieces.push_back({at, 0});
    pieces.back().gpus += range.count;
  }
  return pieces;
}

std::optional<Placement> Pool::part_of(const Placement& own, const std::vector<Piece>& pieces,
                                       std::uint32_t gpus) const {
  const Piece* best = nullptr;
  for (const Piece& piece : pieces)
    if (piece.gpus >= gpus && (best == nullptr || piece.gpus < best->gpus)) best = &piece;
  if (best == nullptr) return std::nullopt;
  Placement where;
  for (const GpuRange& range : own) {
    if (gpus == 0 || local_of(range) != best->node) continue;
    where.push_back({range.first, std::min(gpus, range.count)});
    gpus -= where.back().count;
  }
  return where;
}

std::optional<Placement> Pool::block_around(const Placement& own, const Piece& piece,
                                            std::uint32_t gpus) const {
  const PoolNode& member = members_[piece.node];
  if (member.free + piece.gpus < gpus) return std::nullopt;
  if (gpus > std::bit_floor(member.gpus.count)) {  // more than any block of a node of odd size
    GpuSet usable = free_;
    for (const GpuRange& range : own) usable.insert(range);
    Placement where;
    usable.lowest(member.gpus, gpus, where);
    return where;
  }
  const auto first =
      std::ranges::find(own, piece.node, [&](const GpuRange& r) { return local_of(r); });
  const std::uint32_t size = std::bit_ceil(gpus);
  const std::uint32_t offset = (first->first.index - member.gpus.first.index) & ~(size - 1);
  const GpuRange block{GpuId{member.gpus.first.index + offset}, size};
  if (offset + size > member.gpus.count) return std::nullopt;
  if (free_.count(block) + count_in(own, block) < size) return std::nullopt;
  return Placement{{block.first, gpus}};
}

std::optional<Placement> Pool::several_instead(const Placement& own,
                                               const std::vector<Piece>& pieces,
                                               std::uint32_t gpus) const {
  std::vector<std::uint32_t> kept;
  for (const Piece& piece : pieces)
    if (members_[piece.node].free + piece.gpus == members_[piece.node].gpus.count)
      kept.push_back(piece.node);
  auto where = fewest_nodes(gpus, kept);
  if (where || !may_hold(gpus, kept)) return where;
  Pool given = *this;  // its last piece may go where it has part of a node
  given.give(own);
  return given.place(gpus);
}

}  // namespace penstock
