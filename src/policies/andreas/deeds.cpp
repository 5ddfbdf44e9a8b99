#include "policies/andreas/deeds.h"

#include <algorithm>

namespace penstock {
namespace {

/// A job, the node it shall be on and how much of it.
struct Wanted {
  JobId job{};
  NodeId node{};
  std::uint32_t gpus = 0;
};

class Deeds {
 public:
  Deeds(const View& view, Decision& decision)
      : view_(view),
        cluster_(view.state.cluster()),
        decision_(decision),
        free_(view.state.free_gpus()) {}

  void all(const Instance& instance, const Assignments& plan, const std::vector<WideStart>& wide) {
    for (std::size_t j = 0; j < plan.size(); ++j) sort_out(instance, j, plan[j]);
    while (!movers_.empty())
      if (!move_some()) stop_first_mover();
    for (const WideStart& start : wide) {
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
    const std::uint32_t gpus = instance.problem.jobs[number].options[to->option].slices;
    const Wanted wanted{id, NodeId{to->node}, gpus};
    if (!is_running)
      starters_.push_back(wanted);
    else if (cluster_.node_of[state.where.front().first.index] != wanted.node ||
             gpu_count(state.where) != gpus)
      movers_.push_back(wanted);
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
    if (gpu_count(state.where) == wanted.gpus && same_type(state, wanted))
      decision_.actions.emplace_back(Migrate{wanted.job, where});
    else
      decision_.actions.emplace_back(Resize{wanted.job, where, {}});
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
    decision_.actions.emplace_back(Start{wanted.job, std::move(where), {}});
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

void carry_out(const View& view, const Instance& instance, const Assignments& plan,
               const std::vector<WideStart>& wide, Decision& decision) {
  Deeds(view, decision).all(instance, plan, wide);
}

}  // namespace penstock
