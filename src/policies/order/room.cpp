#include "policies/order/room.h"

#include <algorithm>
#include <map>

namespace penstock {

void Timeline::advance(Time now) {
  now_ = std::max(now_, now);
  while (const auto* first = changes_.first()) {
    if (first->key > now_) break;
    now_free_ += first->value;
    changes_.erase(first->key);
  }
}

void Timeline::change(Time from, std::int64_t gpus) {
  if (from <= now_) {
    now_free_ += gpus;
    return;
  }
  const std::int64_t* there = changes_.find(from);
  if (there == nullptr) {
    changes_.insert(from, gpus);
  } else if (*there + gpus == 0) {
    changes_.erase(from);
  } else {
    changes_.assign(from, *there + gpus);
  }
}

std::int64_t Timeline::free_at(Time t) const {
  if (t <= now_) return now_free_;
  const Sums sums = changes_.up_to(t);
  return now_free_ + (sums.any ? sums.total : 0);
}

Time Timeline::first_below(std::int64_t gpus, Time from) const {
  if (free_at(from) < gpus) return from;
  const auto* found = changes_.first_that(&from, [&](const Sums& before, const Sums& run) {
    return run.any && now_free_ + before.total + run.least < gpus;
  });
  return found == nullptr ? Time::max() : found->key;
}

Time Timeline::first_at_least(std::int64_t gpus, Time from) const {
  if (free_at(from) >= gpus) return from;
  const auto* found = changes_.first_that(&from, [&](const Sums& before, const Sums& run) {
    return run.any && now_free_ + before.total + run.most >= gpus;
  });
  return found == nullptr ? Time::max() : found->key;
}

Time Timeline::earliest_fit(std::int64_t gpus, Duration length) const {
  Time start = first_at_least(gpus, now_);
  while (start != Time::max()) {
    const Time end = first_below(gpus, start);
    if (end == Time::max() || end - start >= length) return start;
    start = first_at_least(gpus, end);
  }
  return Time::max();
}

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
