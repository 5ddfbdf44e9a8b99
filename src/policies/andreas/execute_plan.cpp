#include "policies/andreas/execute_plan.h"

#include <algorithm>

namespace penstock {
namespace {

class WidePlanner {
 public:
  WidePlanner(const View& view, const Shapes& shapes, bool may_clear)
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
  return WidePlanner(view, shapes, may_clear).all(window);
}

namespace {

/// A job, the node it shall be on and how much of it.
struct Wanted {
  JobId job{};
  NodeId node{};
  std::uint32_t gpus = 0;
  Knobs knobs{};
};

class PlanExecutor {
 public:
  PlanExecutor(const View& view, Decision& decision)
      : view_(view),
        cluster_(view.state.cluster()),
        decision_(decision),
        free_(view.state.free_gpus()) {}

  void all(const Instance& instance, const WholePlan& plan) {
    for (const HeldJob& held : plan.held)
      if (view_.state.job(held.job).phase == Phase::running) stop(held.job);
    for (std::size_t j = 0; j < plan.jobs.size(); ++j) sort_out(instance, j, plan.jobs[j]);
    while (!movers_.empty())
      if (!move_some()) stop_first_mover();
    for (const WideStart& start : plan.wide) {
      for (const GpuRange& range : start.where) free_.erase(range);
      decision_.actions.emplace_back(Start{start.job, start.where, {}});
    }
    for (const Wanted& wanted : starters_) start(wanted);
  }

 private:
  void sort_out(const Instance& instance, std::size_t number, const std::optional<Assignment>& to) {
    const JobId id = instance.jobs[number];
    const JobState& state = view_.state.job(id);
    const bool is_running = state.phase == Phase::running;
    if (!to) {
      if (is_running) stop(id);
      return;
    }
    const JointOption& option = instance.problem.jobs[number].options[to->option];
    const std::uint32_t gpus = option.slices;
    Wanted wanted{id, NodeId{to->node}, gpus, {}};
    if (option.clock_mhz > 0) wanted.knobs.clock_mhz = option.clock_mhz;
    if (!is_running)
      starters_.push_back(wanted);
    else if (cluster_.node_of[state.where.front().first.index] != wanted.node ||
             gpu_count(state.where) != gpus)
      movers_.push_back(wanted);
    else if (option.clock_mhz > 0 && option.clock_mhz != state.clock_mhz)
      decision_.actions.emplace_back(SetClock{id, option.clock_mhz});
  }

  void stop(JobId id) {
    for (const GpuRange& range : view_.state.job(id).where) free_.insert(range);
    decision_.actions.emplace_back(Preempt{id});
  }

  /// Moves those for whom there is room; false if nobody moved.
  bool move_some() {
    return std::erase_if(movers_, [&](const Wanted& wanted) { return move(wanted); }) > 0;
  }

  bool move(const Wanted& wanted) {
    const JobState& state = view_.state.job(wanted.job);
    for (const GpuRange& range : state.where) free_.insert(range);
    const Placement where = place(wanted);
    if (where.empty() || (!state.job.kind_id && !same_type(state, wanted)))
      for (const GpuRange& range : state.where) free_.erase(range);
    if (where.empty()) return false;
    if (!state.job.kind_id && !same_type(state, wanted)) {
      stop(wanted.job);
      starters_.push_back(wanted);
      return true;
    }
    for (const GpuRange& range : where) free_.erase(range);
    const bool same_clock = wanted.knobs.clock_mhz.value_or(state.clock_mhz) == state.clock_mhz;
    if (gpu_count(state.where) == wanted.gpus && same_type(state, wanted) && same_clock)
      decision_.actions.emplace_back(Migrate{wanted.job, where});
    else
      decision_.actions.emplace_back(Resize{wanted.job, where, wanted.knobs});
    return true;
  }

  bool same_type(const JobState& state, const Wanted& wanted) const {
    return cluster_.node(state.where.front().first).type == cluster_.node(wanted.node).type;
  }

  void stop_first_mover() {
    const Wanted wanted = movers_.front();
    movers_.erase(movers_.begin());
    stop(wanted.job);
    starters_.push_back(wanted);
  }

  void start(const Wanted& wanted) {
    Placement where = place(wanted);
    if (where.empty()) return;  // its slices are not together: another time
    for (const GpuRange& range : where) free_.erase(range);
    decision_.actions.emplace_back(Start{wanted.job, std::move(where), wanted.knobs});
  }

  /// Nothing if there is no room.
  Placement place(const Wanted& wanted) const {
    const Node& node = cluster_.node(wanted.node);
    const GpuRange all{node.first, node.gpus};
    Placement where;
    if (cluster_.share > 1) return place_slices(wanted.gpus, all);
    if (free_.count(all) >= wanted.gpus) free_.lowest(all, wanted.gpus, where);
    return where;
  }

  /// Whole GPUs, or an aligned part of the one that has least left.
  Placement place_slices(std::uint32_t slices, const GpuRange& all) const {
    const std::uint32_t share = cluster_.share;
    Placement whole;
    std::optional<GpuRange> part;
    std::uint32_t least = share + 1;
    std::uint32_t missing = slices;
    for (std::uint32_t at = 0; at < all.count && missing > 0; at += share) {
      const GpuRange gpu{GpuId{all.first.index + at}, share};
      const std::uint32_t left = free_.count(gpu);
      if (slices >= share && left == share) {
        whole.push_back(gpu);
        missing -= share;
      }
      if (slices < share && left >= slices && left < least)
        if (const auto found = aligned_part(slices, gpu)) {
          part = found;
          least = left;
        }
    }
    if (slices < share) return part ? Placement{*part} : Placement{};
    return missing == 0 ? whole : Placement{};
  }

  std::optional<GpuRange> aligned_part(std::uint32_t slices, const GpuRange& gpu) const {
    for (std::uint32_t at = 0; at < gpu.count; at += slices) {
      const GpuRange part{GpuId{gpu.first.index + at}, slices};
      if (free_.contains_all(part)) return part;
    }
    return std::nullopt;
  }

  const View& view_;
  const Cluster& cluster_;
  Decision& decision_;
  GpuSet free_;  ///< as it will be after the actions so far
  std::vector<Wanted> movers_;
  std::vector<Wanted> starters_;
};

}  // namespace

void carry_out(const View& view, const Instance& instance, const WholePlan& plan,
               Decision& decision) {
  PlanExecutor(view, decision).all(instance, plan);
}

}  // namespace penstock
