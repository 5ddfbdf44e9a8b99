#include "policy/place/idle_nodes.h"

#include <algorithm>
#include <tuple>

namespace penstock {

IdleNodes::IdleNodes(std::vector<Shape> nodes) : shapes_(std::move(nodes)) {
  const auto size = static_cast<std::uint32_t>(shapes_.size());
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const Shape& shape = shapes_[i];
    largest = std::max(largest, shape.gpus);
    const bool continues =
        i > 0 && shape.rack == shapes_[i - 1].rack && shape.gpus == shapes_[i - 1].gpus;
    if (!continues) runs_.push_back({.begin = i});
    runs_.back().end = i + 1;
    run_of_.push_back(static_cast<std::uint32_t>(runs_.size() - 1));
  }
  idle_ = NodeSet(size);
  asleep_ = NodeSet(size);
  awake_by_size_ = NodeBuckets(largest, size);
  asleep_by_size_ = NodeBuckets(largest, size);
}

void IdleNodes::count(std::uint32_t node, std::uint32_t by) {
  Run& run = runs_[run_of_[node]];
  (is_asleep(node) ? run.asleep : run.awake) += by;
  gpus_ += by * shapes_[node].gpus;
}

void IdleNodes::insert(std::uint32_t node) {
  idle_.insert(node);
  (is_asleep(node) ? asleep_by_size_ : awake_by_size_).insert(shapes_[node].gpus, node);
  count(node, 1);
}

void IdleNodes::erase(std::uint32_t node) {
  idle_.erase(node);
  (is_asleep(node) ? asleep_by_size_ : awake_by_size_).erase(shapes_[node].gpus, node);
  count(node, ~0u);  // minus one
}

void IdleNodes::set_asleep(std::uint32_t node, bool asleep) {
  const bool idle = contains(node);
  if (idle) erase(node);
  if (asleep)
    asleep_.insert(node);
  else
    asleep_.erase(node);
  if (idle) insert(node);
}

std::optional<std::uint32_t> IdleNodes::smallest(std::uint32_t gpus) const {
  const auto awake = awake_by_size_.first(gpus);
  return awake ? awake : asleep_by_size_.first(gpus);
}

/// All runs that have something, the largest nodes first.
std::vector<IdleNodes::Offer> IdleNodes::offers(std::span<const std::uint32_t> kept) const {
  std::vector<Offer> found;
  found.reserve(runs_.size());
  for (std::uint32_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const auto past = std::ranges::lower_bound(kept, run.end);
    const auto mine = static_cast<std::size_t>(past - kept.begin());
    const Offer offer{i, shapes_[run.begin].gpus, run.awake, run.asleep, kept.first(mine)};
    kept = kept.subspan(mine);
    if (offer.nodes() > 0) found.push_back(offer);
  }
  if (!std::ranges::is_sorted(found, std::ranges::greater{}, &Offer::size))
    std::ranges::stable_sort(found, std::ranges::greater{}, &Offer::size);
  return found;
}

/// Of those that have so many nodes, the one that keeps the most, wakes the fewest and has
/// the least room.
const IdleNodes::Offer* IdleNodes::tightest(std::span<const Offer> offers, std::uint32_t nodes) {
  const auto rank = [&](const Offer& offer) {
    const auto moved = nodes - std::min(nodes, static_cast<std::uint32_t>(offer.kept.size()));
    const std::uint32_t woken = moved - std::min(moved, offer.awake);
    return std::tuple(moved, woken, offer.nodes());
  };
  const Offer* best = nullptr;
  for (const Offer& offer : offers)
    if (offer.nodes() >= nodes && (best == nullptr || rank(offer) < rank(*best))) best = &offer;
  return best;
}

/// Enough nodes of one run for `gpus`: kept ones first, then those that are awake.
void IdleNodes::take(const Offer& offer, std::uint32_t gpus, std::vector<Piece>& pieces) const {
  const auto add = [&](std::uint32_t node) {
    const std::uint32_t part = std::min(gpus, offer.size);
    pieces.push_back({node, part});
    gpus -= part;
  };
  for (std::size_t i = 0; i < offer.kept.size() && gpus > 0; ++i) add(offer.kept[i]);
  for (const NodeBuckets* buckets : {&awake_by_size_, &asleep_by_size_}) {
    const NodeSet& nodes = buckets->of(offer.size);
    const std::uint32_t end = runs_[offer.run].end;
    for (auto at = nodes.first(runs_[offer.run].begin); at && *at < end && gpus > 0;
         at = nodes.first(*at + 1))
      add(*at);
  }
}

/// Takes `nodes` nodes, of which there are enough, under as few switches as possible.
void IdleNodes::spread(std::span<const Offer> same_size, std::uint32_t nodes,
                       std::vector<Piece>& pieces) const {
  std::vector<Offer> left(same_size.begin(), same_size.end());
  std::ranges::stable_sort(left, std::ranges::greater{}, [](const Offer& offer) {
    return std::pair(offer.nodes(), offer.kept.size());
  });
  for (std::size_t i = 0; nodes > 0; ++i) {
    const Offer* last = tightest(std::span(left).subspan(i), nodes);
    const std::uint32_t count = last != nullptr ? nodes : left[i].nodes();
    take(last != nullptr ? *last : left[i], count * left[i].size, pieces);
    nodes -= count;
  }
}

std::vector<Piece> IdleNodes::whole(std::uint32_t gpus, std::span<const std::uint32_t> kept) const {
  const std::vector<Offer> all = offers(kept);
  std::vector<Piece> pieces;
  for (std::size_t from = 0; from < all.size() && gpus > 0;) {
    const std::uint32_t size = all[from].size;
    std::size_t past = from;
    std::uint32_t there = 0;
    for (; past < all.size() && all[past].size == size; ++past) there += all[past].nodes();
    const std::span<const Offer> same_size = std::span(all).subspan(from, past - from);
    // Larger nodes hold it in fewer pieces than any smaller ones, even under one switch.
    const Offer* one = pieces.empty() ? tightest(same_size, (gpus + size - 1) / size) : nullptr;
    if (one != nullptr) {
      take(*one, gpus, pieces);
      return pieces;
    }
    const std::uint32_t nodes = std::min(there, gpus / size);
    spread(same_size, nodes, pieces);
    gpus -= nodes * size;
    if (nodes < there) return pieces;  // the rest fits on one more
    from = past;
  }
  return pieces;
}

std::optional<std::uint32_t> IdleNodes::left_over(std::uint32_t gpus, std::span<const Piece> taken,
                                                  std::span<const std::uint32_t> kept) const {
  const auto is_taken = [&](std::uint32_t node) {
    return std::ranges::find(taken, node, &Piece::node) != taken.end();
  };
  for (const std::uint32_t node : kept)
    if (shapes_[node].gpus >= gpus && !is_taken(node)) return node;
  for (const NodeBuckets* buckets : {&awake_by_size_, &asleep_by_size_})
    for (auto size = buckets->key(gpus); size; size = buckets->key(*size + 1)) {
      const NodeSet& nodes = buckets->of(*size);
      for (auto at = nodes.first(); at; at = nodes.first(*at + 1))
        if (!is_taken(*at)) return at;
    }
  return std::nullopt;
}

}  // namespace penstock
