#include "policies/order/room.h"

#include <algorithm>

namespace penstock {
namespace {

/// Far enough for every plan, near enough that adding to it does not overflow.
Time end_of(Time from, Duration length) {
  return length > Time::max() - from ? Time::max() : from + length;
}

}  // namespace

Room::Room(const Cluster& cluster, PlaceRule rule, bool plans)
    : cluster_(cluster), plans_(plans), pools_(make_pools(cluster, rule)) {
  if (!plans) return;
  for (const Pool& pool : pools_) timelines_.emplace_back(static_cast<std::int64_t>(pool.total()));
}

void Room::advance(Time now) {
  now_ = now;
  for (Timeline& timeline : timelines_) timeline.advance(now);
}

std::uint32_t Room::most_free() const {
  std::uint32_t most = 0;
  for (const Pool& pool : pools_) most = std::max(most, pool.free());
  return most;
}

std::uint32_t Room::pool_of(const Placement& where) const {
  const NodeId node = cluster_.node_of[where.front().first.index];
  std::uint32_t pool = 0;
  while (!pools_[pool].holds(node)) ++pool;
  return pool;
}

Time Room::lasts_until(std::uint32_t pool, std::uint32_t gpus) const {
  if (pools_[pool].free() < gpus) return Time::min();
  if (!plans_) return Time::max();
  const Time until = timelines_[pool].first_below(gpus, now_);
  return until == now_ ? Time::min() : until;
}

Time Room::lasts_until(std::uint64_t gpu_types, std::uint32_t gpus) const {
  Time longest = Time::min();
  for (std::uint32_t i = 0; i < pools_.size(); ++i)
    if (suits(i, gpu_types)) longest = std::max(longest, lasts_until(i, gpus));
  return longest;
}

Room::Opening Room::earliest(std::uint64_t gpu_types, std::uint32_t gpus, Duration length) const {
  Opening best;
  for (std::uint32_t i = 0; i < pools_.size(); ++i) {
    if (!suits(i, gpu_types)) continue;
    const Time start = timelines_[i].earliest_fit(gpus, length);
    if (start < best.start) best = {i, start};
  }
  return best;
}

void Room::hold(const Spot& spot, Time until) {
  pools_[spot.pool].take(spot.where);
  if (plans_) timelines_[spot.pool].occupy(now_, until, gpu_count(spot.where));
}

void Room::leave(std::uint32_t pool, const Placement& where, Time until) {
  pools_[pool].give(where);
  if (plans_) timelines_[pool].vacate(now_, until, gpu_count(where));
}

void Room::extend(std::uint32_t pool, std::uint32_t gpus, Time from, Time to) {
  if (plans_) timelines_[pool].occupy(from, to, gpus);
}

void Room::reserve(std::uint32_t pool, std::uint32_t gpus, Time from, Duration length) {
  timelines_[pool].occupy(from, end_of(from, length), gpus);
}

void Room::remove(std::uint32_t pool, std::uint32_t gpus, Time from, Duration length) {
  timelines_[pool].vacate(from, end_of(from, length), gpus);
}

void Room::node_down(NodeId node) {
  node_changed(node, false);
}

void Room::node_up(NodeId node) {
  node_changed(node, true);
}

void Room::node_changed(NodeId node, bool up) {
  const std::int64_t gpus = cluster_.node(node).gpus;
  for (std::uint32_t i = 0; i < pools_.size(); ++i) {
    if (!pools_[i].holds(node)) continue;
    if (up)
      pools_[i].node_up(node);
    else
      pools_[i].node_down(node);
    if (plans_) timelines_[i].change(now_, up ? gpus : -gpus);
  }
}

}  // namespace penstock
