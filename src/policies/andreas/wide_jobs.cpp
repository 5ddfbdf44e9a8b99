#include "policies/andreas/wide_jobs.h"

#include <algorithm>

namespace penstock {
namespace {

class Planner {
 public:
  Planner(const View& view, const Shapes& shapes, bool may_clear)
      : view_(view), shapes_(shapes), may_clear_(may_clear), cluster_(view.state.cluster()) {
    plan_.use.assign(cluster_.nodes.size(), NodeUse::open);
    pinned_ = pinned_gpus(view);
    unused_.assign(cluster_.sites.size() * cluster_.types.size(), 0);
    for (std::uint32_t i = 0; i < cluster_.nodes.size(); ++i)
      if (is_unused(NodeId{i})) unused_of(cluster_.nodes[i]) += cluster_.nodes[i].gpus;
  }

  WidePlan all(std::size_t window) {
    for (const JobState& job : view_.state.running())
      if (shapes_.is_wide(job, view_)) hold(job.where, NodeUse::taken);
    bool is_first = true;
    for (const JobState& job : view_.state.queue()) {
      if (window-- == 0) break;
      if (!shapes_.is_wide(job, view_)) continue;
      if (!start(job)) {
        if (is_first && has_waited(job)) force(job);
        is_first = false;
      }
    }
    return std::move(plan_);
  }

 private:
  void hold(const Placement& where, NodeUse use) {
    for (const GpuRange& range : where) plan_.use[cluster_.node_of[range.first.index].index] = use;
  }

  bool is_unused(NodeId id) const {
    const NodeState& state = view_.state.node(id);
    return state.phase != NodePhase::down && state.free == cluster_.node(id).gpus;
  }

  /// GPUs of wholly free nodes of a node's pool.
  std::uint32_t& unused_of(const Node& node) {
    return unused_[node.site.index * cluster_.types.size() + node.type.index];
  }

  bool has_waited(const JobState& job) const {
    return view_.now - job.job.submitted >= job.job.requested;
  }

  /// The emptiest nodes of a pool that hold the job together; nothing if they cannot.
  Placement emptiest(const Job& job, SiteId site, GpuTypeId type) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes;  // busy GPUs, node
    for (std::uint32_t i = 0; i < cluster_.nodes.size(); ++i) {
      const Node& node = cluster_.nodes[i];
      const NodeState& state = view_.state.node(NodeId{i});
      if (node.site == site && node.type == type && state.phase != NodePhase::down &&
          plan_.use[i] == NodeUse::open && pinned_[i] == 0)
        nodes.emplace_back(node.gpus - state.free, i);
    }
    std::ranges::sort(nodes);
    Placement where;
    std::uint32_t missing = job.gpus;
    for (const auto& [busy, i] : nodes) {
      if (missing == 0) break;
      const std::uint32_t taken = std::min(missing, cluster_.nodes[i].gpus);
      where.push_back({cluster_.nodes[i].first, taken});
      missing -= taken;
    }
    if (missing > 0) return {};
    std::ranges::sort(where, {}, [](const GpuRange& range) { return range.first; });
    return where;
  }

  /// The first pool in which `use` takes the emptiest nodes for the job.
  template <class Suits, class Use>
  bool in_some_pool(const Job& job, Suits suits, Use use) const {
    for (std::uint32_t s = 0; s < cluster_.sites.size(); ++s)
      for (std::uint32_t t = 0; t < cluster_.types.size(); ++t) {
        if ((job.gpu_types >> t & 1) == 0 || !suits(s * cluster_.types.size() + t)) continue;
        const Placement where = emptiest(job, SiteId{s}, GpuTypeId{t});
        if (where.empty()) continue;
        use(where);
        return true;
      }
    return false;
  }

  void begin(const JobState& job, const Placement& where) {
    for (const GpuRange& range : where) {
      const NodeId id = cluster_.node_of[range.first.index];
      if (is_unused(id)) unused_of(cluster_.node(id)) -= cluster_.node(id).gpus;
    }
    hold(where, NodeUse::taken);
    plan_.starts.push_back({job.job.id, where});
  }

  bool start(const JobState& job) {
    return in_some_pool(
        job.job, [&](std::size_t pool) { return unused_[pool] >= job.job.gpus; },
        [&](const Placement& where) { begin(job, where); });
  }

  void force(const JobState& job) {
    in_some_pool(
        job.job, [](std::size_t) { return true; },
        [&](const Placement& where) {
          if (may_clear_)
            begin(job, where);
          else
            hold(where, NodeUse::draining);
        });
  }

  const View& view_;
  const Shapes& shapes_;
  bool may_clear_;
  const Cluster& cluster_;
  std::vector<std::uint32_t> pinned_;  ///< by node
  std::vector<std::uint32_t> unused_;  ///< by site, then type: GPUs of wholly free nodes
  WidePlan plan_;
};

}  // namespace

std::vector<std::uint32_t> pinned_gpus(const View& view) {
  std::vector<std::uint32_t> held(view.state.cluster().nodes.size(), 0);
  for (const JobState& job : view.state.running()) {
    if (!job.job.pinned) continue;
    for (const GpuRange& range : job.where)
      held[view.state.cluster().node_of[range.first.index].index] += range.count;
  }
  return held;
}

WidePlan plan_wide_jobs(const View& view, const Shapes& shapes, bool may_clear,
                        std::size_t window) {
  return Planner(view, shapes, may_clear).all(window);
}

}  // namespace penstock
