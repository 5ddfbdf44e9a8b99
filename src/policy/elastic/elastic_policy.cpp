#include "policy/elastic/elastic_policy.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "base/paged_table.h"
#include "policy/elastic/actuate.h"

namespace penstock {
namespace {

/// The GPUs of one type at one site, and the jobs that are there or wait for them.
struct Yard {
  Packing packing;
  std::unique_ptr<Allocator> allocator;
  SiteId site{};
  GpuTypeId type{};
  std::vector<JobId> jobs{};     ///< by their number
  std::uint64_t gpus_asked = 0;  ///< by all of them
  bool changed = true;           ///< since its allocator was last asked
  std::optional<Time> ask_again{};
};

class ElasticPolicy final : public Policy {
 public:
  ElasticPolicy(const PolicySetting& setting, const MakeAllocator& make_allocator)
      : cluster_(setting.cluster), nodes_sleep_(setting.costs.sleep_after.has_value()) {
    for (const Pool& pool : make_pools(setting.cluster, PlaceRule::buddy))
      yards_.push_back({.packing = Packing(setting.cluster, pool.site(), pool.type()),
                        .allocator = make_allocator(),
                        .site = pool.site(),
                        .type = pool.type()});
  }

  Decision decide(const View& view) override {
    for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
    const auto is_due = [&](const Yard& yard) {
      return yard.changed || (yard.ask_again && *yard.ask_again <= view.now);
    };
    const bool anyone_is_due = std::ranges::any_of(yards_, is_due);
    Decision decision;
    for (Yard& yard : yards_) {
      if (is_due(yard) || (anyone_is_due && yard.allocator->depends_on_others()))
        arrange(yard, view, decision);
      if (yard.ask_again)
        decision.ask_again = std::min(decision.ask_again.value_or(Time::max()), *yard.ask_again);
    }
    return decision;
  }

 private:
  void on(const JobSubmitted& e, const View& view) {
    if (view.state.job(e.job).job.parents.empty()) join(e.job, view);
  }
  void on(const JobReady& e, const View& view) { join(e.job, view); }
  void on(const JobFinished& e, const View& view) {
    vacate(e.job);
    leave(e.job, view);
  }
  void on(const JobInterrupted& e, const View& /*view*/) { vacate(e.job); }
  void on(const JobArrived& e, const View& view) { join(e.job, view); }
  void on(const JobWithdrawn& e, const View& view) { leave(e.job, view); }
  void on(const NodeFailed& e, const View& /*view*/) {
    Yard& yard = yard_with(e.node);
    yard.packing.node_down(e.node);
    yard.changed = true;
  }
  void on(const NodeRepaired& e, const View& /*view*/) {
    Yard& yard = yard_with(e.node);
    yard.packing.node_up(e.node);
    yard.changed = true;
  }

  void join(JobId id, const View& view) {
    const Job& job = view.state.job(id).job;
    const std::uint32_t at = least_wanted(job, view);
    yard_of_.insert(id.index, at);
    Yard& yard = yards_[at];
    yard.jobs.insert(std::ranges::upper_bound(yard.jobs, id), id);
    yard.gpus_asked += job.gpus;
    yard.changed = true;
  }

  /// Of the pools that can hold the job, one whose models know it before one whose do not.
  std::uint32_t least_wanted(const Job& job, const View& view) const {
    std::optional<std::uint32_t> best;
    const auto rank = [&](std::uint32_t i) {
      const Yard& yard = yards_[i];
      const double wanted = static_cast<double>(yard.gpus_asked) / yard.packing.pool().total();
      return std::pair(view.models.find(job, yard.type) == nullptr, wanted);
    };
    for (std::uint32_t i = 0; i < yards_.size(); ++i) {
      const bool suits = (job.gpu_types >> yards_[i].type.index & 1) != 0 &&
                         job.gpus <= yards_[i].packing.pool().total();
      if (suits && (!best || rank(i) < rank(*best))) best = i;
    }
    PENSTOCK_CHECK(best.has_value());
    return *best;
  }

  void leave(JobId id, const View& view) {
    Yard& yard = yards_[yard_of_.at(id.index)];
    yard.gpus_asked -= view.state.job(id).job.gpus;
    yard.jobs.erase(std::ranges::lower_bound(yard.jobs, id));
    yard.changed = true;
    yard_of_.erase(id.index);
  }

  void vacate(JobId job) {
    Yard& yard = yards_[yard_of_.at(job.index)];
    yard.packing.give(job);
    yard.changed = true;
  }

  Yard& yard_with(NodeId node) {
    return *std::ranges::find_if(yards_,
                                 [&](const Yard& yard) { return yard.packing.pool().holds(node); });
  }

  void arrange(Yard& yard, const View& view, Decision& decision) {
    if (nodes_sleep_) mark_sleepers(yard, view);
    Board board{.view = view,
                .packing = yard.packing,
                .site = yard.site,
                .type = yard.type,
                .gpus = yard.packing.capacity(),
                .node_gpus = yard.packing.pool().largest_node(),
                .nodes_sleep = nodes_sleep_};
    board.jobs.reserve(yard.jobs.size());
    for (const JobId id : yard.jobs) board.jobs.push_back(board_job(id, yard, view));
    yard.allocator->allocate(board);
    actuate(board, yard.packing, decision);
    yard.ask_again = board.ask_again;
    yard.changed = false;
  }

  static BoardJob board_job(JobId id, const Yard& yard, const View& view) {
    const JobState& state = view.state.job(id);
    const Placement* where = yard.packing.of(id);
    return {.id = id,
            .state = &state,
            .profile = view.models.find(state.job, yard.type),
            .left = state.left_at(view.now),
            .gpus_now = where == nullptr ? 0 : gpu_count(*where),
            .restart = state.starts == 0 ? Duration::zero() : view.state.costs().restart};
  }

  void mark_sleepers(Yard& yard, const View& view) const {
    const Site& site = cluster_.sites[yard.site.index];
    for (std::uint32_t i = 0; i < site.nodes; ++i) {
      const NodeId node{site.first_node.index + i};
      if (yard.packing.pool().holds(node))
        yard.packing.set_asleep(node, view.state.node(node).phase == NodePhase::asleep);
    }
  }

  const Cluster& cluster_;
  bool nodes_sleep_;
  std::vector<Yard> yards_;
  PagedTable<std::uint32_t> yard_of_;  ///< indexed by JobId
};

}  // namespace

std::unique_ptr<Policy> make_elastic_policy(const PolicySetting& setting,
                                            const MakeAllocator& make_allocator) {
  return std::make_unique<ElasticPolicy>(setting, make_allocator);
}

}  // namespace penstock
