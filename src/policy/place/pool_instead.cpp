// Places for jobs that already have one.

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "policy/place/pool.h"

namespace penstock {
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
  const Member& member = members_[piece.node];
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
