#include <algorithm>
#include <bit>

#include "base/check.h"
#include "policy/place/pool.h"

namespace penstock {
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

void Pool::place_on(const Member& member, std::uint32_t gpus, Placement& where) const {
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
    const Member& member = members_[at];
    if (wholly_free(member) || std::ranges::binary_search(kept, at))
      where.push_back({member.gpus.first, gpus});
    else if (rule_ == PlaceRule::buddy)
      place_on(member, gpus, where);
    else
      free_.lowest(member.gpus, gpus, where);
  }
  return where;
}

}  // namespace penstock
