#include "policies/recorded.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace penstock {
namespace {

constexpr int kStartsAtOnce = 4;  // of time between two runs of a job that was changed at once

/// Did it go on as it was, only at another clock?
bool is_same_stay(const RecordedRun& before, const RecordedRun& after) {
  return before.ended == after.ordered && before.gpus == after.gpus && before.nodes == after.nodes;
}

/// When a run was told to end that ended for the next one. Words are some time on their way: as
/// long as a start takes.
Time end_ordered(const RecordedRun& run, const RecordedRun& next, Duration start) {
  return is_same_stay(run, next) ? run.ended : std::max(run.ordered, run.ended - start);
}

class Recorded final : public Policy {
 public:
  explicit Recorded(RecordedRuns runs) : runs_(std::move(runs)), nodes_(runs_) {}

  Decision decide(const View& view) override {
    Decision decision;
    for (const Event& event : view.happened) on(event, view);
    GpuSet free = view.state.free_gpus();
    std::vector<Due> moves;
    while (!due_.empty() && due_.begin()->when <= view.now) {
      const Due next = due_.extract(due_.begin()).value();
      if (next.starts)
        waiting_.insert(next);
      else if (view.state.job(next.job).phase == Phase::running)
        end(next, view, free, decision, moves);
    }
    while (!moves.empty() && move_some(moves, view, free, decision)) {
    }
    for (const Due& stuck : moves) stop(stuck, view, free, decision);  // in each other's way
    std::erase_if(waiting_, [&](const Due& due) { return start(due, view, free, decision); });
    decision.ask_again = next_look(view);
    return decision;
  }

 private:
  /// How long a start waits for its own nodes before others will do.
  static Duration timeout(const View& view) {
    return view.state.costs().restart + kStartsAtOnce * view.state.costs().start;
  }

  std::optional<Time> next_look(const View& view) const {
    std::optional<Time> next;
    if (!due_.empty()) next = due_.begin()->when;
    for (const Due& due : waiting_) {
      const Time then = due.when + timeout(view) + Duration(1);
      if (then > view.now && (!next || then < *next)) next = then;
    }
    return next;
  }

  /// A run of a job that is to begin, or to end for the next one.
  struct Due {
    Time when{};
    bool starts = false;
    JobId job{};
    std::size_t run = 0;
    friend bool operator<(const Due& a, const Due& b) {
      return std::tie(a.when, a.starts, a.job) < std::tie(b.when, b.starts, b.job);
    }
  };

  void on(const Event& event, const View& view) {
    if (const auto* e = std::get_if<JobSubmitted>(&event)) return plan(e->job, view);
    if (const auto* e = std::get_if<JobFinished>(&event)) return forget(e->job);
    if (const auto* e = std::get_if<JobWithdrawn>(&event)) return forget(e->job);
    const auto* lost = std::get_if<JobInterrupted>(&event);
    if (lost == nullptr) return;
    const std::size_t last = records_.at(lost->job)->size() - 1;
    drop(lost->job);
    waiting_.insert({view.now, true, lost->job, last});
  }

  void plan(JobId id, const View& view) {
    const Job& job = view.state.job(id).job;
    auto found = runs_.find(job.name);
    if (found == runs_.end() || found->second.empty())
      found = runs_.insert_or_assign(job.name, std::vector{RecordedRun{.gpus = job.gpus}}).first;
    records_[id] = &found->second;
    due_.insert({std::max(view.now, found->second.front().ordered), true, id, 0});
  }

  void drop(JobId job) {
    const auto is_its = [&](const Due& due) { return due.job == job; };
    std::erase_if(due_, is_its);
    std::erase_if(waiting_, is_its);
  }

  void forget(JobId job) {
    drop(job);
    records_.erase(job);
  }

  const RecordedRun& run_of(const Due& due) const { return records_.at(due.job)->at(due.run); }

  /// The last run ends by itself. One that began late lasts as long as it did.
  void expect_end(const Due& begun, Time at, const View& view) {
    if (begun.run + 1 == records_.at(begun.job)->size()) return;
    const RecordedRun& run = run_of(begun);
    const RecordedRun& next = records_.at(begun.job)->at(begun.run + 1);
    const Duration late = std::max(Duration::zero(), at - run.ordered);
    const Time ordered_end = end_ordered(run, next, view.state.costs().start) + late;
    due_.insert({std::max(view.now + Duration(1), ordered_end), false, begun.job, begun.run});
  }

  /// The next run of a job whose run is to end, as late as that is.
  Due next_of(const Due& ending, const View& view) const {
    const RecordedRun& next = records_.at(ending.job)->at(ending.run + 1);
    const Time ordered_end = end_ordered(run_of(ending), next, view.state.costs().start);
    return {next.ordered + std::max(Duration::zero(), ending.when - ordered_end), true, ending.job,
            ending.run + 1};
  }

  void end(const Due& ending, const View& view, GpuSet& free, Decision& decision,
           std::vector<Due>& moves) {
    const JobState& job = view.state.job(ending.job);
    const Due next = next_of(ending, view);
    if (is_same_stay(run_of(ending), run_of(next))) {
      set_clock(job, run_of(next), view, decision);
      return expect_end(next, next.when, view);
    }
    if (job.job.pinned) return;
    if (job.job.kind_id && next.when <= ending.when + kStartsAtOnce * view.state.costs().start)
      return moves.push_back(next);
    stop(next, view, free, decision);
  }

  static void set_clock(const JobState& job, const RecordedRun& run, const View& view,
                        Decision& decision) {
    if (!job.job.kind_id) return;
    const Cluster& cluster = view.state.cluster();
    const GpuType& type = cluster.type(cluster.node(job.where.front().first));
    const auto clock = knobs(job, run, job.where, cluster).clock_mhz.value_or(type.max_clock_mhz);
    if (clock != job.clock_mhz) decision.actions.emplace_back(SetClock{job.job.id, clock});
  }

  /// Moves those for whom there is room, which makes room for others. False if there was for none.
  bool move_some(std::vector<Due>& moves, const View& view, GpuSet& free, Decision& decision) {
    return std::erase_if(moves, [&](const Due& next) {
             const JobState& job = view.state.job(next.job);
             GpuSet and_own = free;
             for (const GpuRange& range : job.where) and_own.insert(range);
             const auto where = place(job, run_of(next), view, and_own);
             if (!where) return false;
             free = and_own;
             decision.actions.emplace_back(
                 Resize{next.job, *where, knobs(job, run_of(next), *where, view.state.cluster())});
             expect_end(next, next.when, view);
             return true;
           }) > 0;
  }

  void stop(const Due& next, const View& view, GpuSet& free, Decision& decision) {
    for (const GpuRange& range : view.state.job(next.job).where) free.insert(range);
    decision.actions.emplace_back(Preempt{next.job});
    if (next.when <= view.now)
      waiting_.insert(next);
    else
      due_.insert(next);
  }

  bool start(const Due& due, const View& view, GpuSet& free, Decision& decision) {
    const JobState& job = view.state.job(due.job);
    auto where = place(job, run_of(due), view, free);
    if (!where && view.now > due.when + timeout(view)) {
      RecordedRun elsewhere = run_of(due);
      elsewhere.nodes.clear();
      if (!may_ever_run(job.job, run_of(due).gpus, view)) elsewhere.gpus = job.job.gpus;
      where = place(job, elsewhere, view, free);
    }
    if (!where) return false;
    decision.actions.emplace_back(
        Start{due.job, *where, knobs(job, run_of(due), *where, view.state.cluster())});
    expect_end(due, view.now, view);
    return true;
  }

  /// The GPUs of a run, as many as the job may have; nothing while there is no room.
  std::optional<Placement> place(const JobState& job, const RecordedRun& run, const View& view,
                                 GpuSet& free) {
    const std::uint32_t gpus = job.job.kind_id ? run.gpus : job.job.gpus;
    auto where =
        nodes_.place({.job = job.job, .at = job.at, .run = run, .gpus = gpus}, view.state, free);
    if (!where || may_run(job.job, *where, view)) return where;
    for (const GpuRange& range : *where) free.insert(range);
    return std::nullopt;
  }

  /// Other nodes may be smaller, and models say less of several than of one.
  static bool may_run(const Job& job, const Placement& where, const View& view) {
    const Cluster& cluster = view.state.cluster();
    const GpuTypeId type = cluster.node(where.front().first).type;
    return may_run(job, type, {gpu_count(where), node_count(where, cluster)}, view);
  }

  struct Shape {
    std::uint32_t gpus = 0;
    std::uint32_t nodes = 1;
  };
  /// What was asked for may always run.
  static bool may_run(const Job& job, GpuTypeId type, const Shape& shape, const View& view) {
    if (!job.kind_id || shape.gpus == job.gpus) return true;
    const Profile* profile = view.models.find(job, type);
    return profile != nullptr &&
           runs(*profile, {.gpus = shape.gpus, .nodes = shape.nodes, .batch = job.batch});
  }

  /// Or do the models know no such run?
  static bool may_ever_run(const Job& job, std::uint32_t gpus, const View& view) {
    return std::ranges::any_of(view.state.cluster().nodes, [&](const Node& node) {
      return may_run(job, node.type, {gpus, (gpus + node.gpus - 1) / node.gpus}, view);
    });
  }

  /// Of a GPU type without such a clock nothing is asked.
  static Knobs knobs(const JobState& job, const RecordedRun& run, const Placement& where,
                     const Cluster& cluster) {
    const GpuType& type = cluster.type(cluster.node(where.front().first));
    if (!job.job.kind_id || run.clock_mhz == 0 || !has_clock(type, run.clock_mhz)) return {};
    return {.clock_mhz = run.clock_mhz};
  }

  RecordedRuns runs_;
  RecordedNodes nodes_;
  std::map<JobId, const std::vector<RecordedRun>*> records_;
  std::set<Due> due_;
  std::set<Due> waiting_;  ///< starts for which there is no room yet
};

}  // namespace

std::unique_ptr<Policy> make_recorded(RecordedRuns runs) {
  return std::make_unique<Recorded>(std::move(runs));
}

namespace {

GpuRange gpus_of(const Node& node) {
  return {node.first, node.gpus};
}

/// Is that the one that was written down, or is there none of that name?
template <class Named>
bool is_meant(const std::string& name, const Named& here, const std::vector<Named>& all) {
  return here.name == name || std::ranges::find(all, name, &Named::name) == all.end();
}

/// May the job run there, and did it run on the like?
bool suits_recorded(const RecordedNodes::Wanted& wanted, const Node& node, const Cluster& cluster) {
  if ((wanted.job.gpu_types >> node.type.index & 1) == 0) return false;
  if (wanted.at != kNoSite && node.site != wanted.at) return false;
  return is_meant(wanted.run.site, cluster.sites[node.site.index], cluster.sites) &&
         is_meant(wanted.run.type, cluster.type(node), cluster.types);
}

void take(GpuSet& free, const Placement& where) {
  for (const GpuRange& range : where) free.erase(range);
}

/// So many of each node's; nothing if one has not.
std::optional<Placement> of_each(const std::set<NodeId>& nodes, std::uint32_t each,
                                 const State& state, const GpuSet& free) {
  Placement where;
  for (const NodeId id : nodes) {
    const GpuRange all = gpus_of(state.cluster().node(id));
    if (state.node(id).phase == NodePhase::down || free.count(all) < each) return std::nullopt;
    free.lowest(all, each, where);
  }
  return where;
}

/// For who has no record of nodes, or another number of GPUs than it: on one node if that can be.
std::optional<Placement> anywhere(const RecordedNodes::Wanted& wanted, const State& state,
                                  const GpuSet& free) {
  const Cluster& cluster = state.cluster();
  std::map<std::pair<SiteId, GpuTypeId>, std::vector<NodeId>> pools;
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    if (!suits_recorded(wanted, node, cluster) || state.node(NodeId{i}).phase == NodePhase::down)
      continue;
    if (free.count(gpus_of(node)) >= wanted.gpus)
      return of_each({NodeId{i}}, wanted.gpus, state, free);
    pools[{node.site, node.type}].push_back(NodeId{i});
  }
  for (const auto& [pool, nodes] : pools) {
    Placement where;
    std::uint32_t missing = wanted.gpus;
    for (const NodeId id : nodes) {
      const GpuRange all = gpus_of(cluster.node(id));
      const std::uint32_t some = std::min(missing, free.count(all));
      free.lowest(all, some, where);
      missing -= some;
    }
    if (missing == 0) return where;
  }
  return std::nullopt;
}

}  // namespace

RecordedNodes::RecordedNodes(const RecordedRuns& runs) {
  for (const auto& [job, all] : runs)
    for (const RecordedRun& run : all)
      for (const std::string& node : run.nodes) {
        std::uint32_t& most = most_[{run.site, node}];
        most = std::max(most, run.gpus / static_cast<std::uint32_t>(run.nodes.size()));
      }
}

/// The smallest that will do for all runs.
std::optional<NodeId> RecordedNodes::stand_in(const Wanted& wanted, const std::string& node,
                                              const State& state) {
  const Cluster& cluster = state.cluster();
  const Name name{wanted.run.site, node};
  if (const auto found = known_.find(name); found != known_.end())
    return suits_recorded(wanted, cluster.node(found->second), cluster)
               ? std::optional(found->second)
               : std::nullopt;
  std::optional<NodeId> best;
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& each = cluster.nodes[i];
    if (taken_.contains(NodeId{i}) || each.gpus < most_.at(name)) continue;
    if (best && cluster.node(*best).gpus <= each.gpus) continue;
    if (suits_recorded(wanted, each, cluster)) best = NodeId{i};
  }
  if (!best) return std::nullopt;
  taken_.insert(*best);
  known_.emplace(name, *best);
  return best;
}

std::optional<std::set<NodeId>> RecordedNodes::as_recorded(const Wanted& wanted,
                                                           const State& state) {
  std::set<NodeId> nodes;
  for (const std::string& name : wanted.run.nodes) {
    const auto node = stand_in(wanted, name, state);
    if (!node) return std::nullopt;
    nodes.insert(*node);
  }
  return nodes;
}

std::optional<Placement> RecordedNodes::place(const Wanted& wanted, const State& state,
                                              GpuSet& free) {
  const auto count = static_cast<std::uint32_t>(wanted.run.nodes.size());
  std::optional<Placement> where;
  const bool even = count > 0 && wanted.gpus % count == 0;
  const auto nodes = even ? as_recorded(wanted, state) : std::nullopt;
  where = nodes ? of_each(*nodes, wanted.gpus / count, state, free) : anywhere(wanted, state, free);
  if (where) take(free, *where);
  return where;
}

}  // namespace penstock
