#include "policies/elastic/elastic_policy.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "base/paged_table.h"
#include "policies/elastic/actuate.h"

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
    take_back(view);
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
  void on(const JobStarted& e, const View& view) {
    const std::uint32_t at = yard_with_gpu(e.where.front().first);
    if (yard_of_.at(e.job.index) != at) {
      leave(e.job, view);
      join_at(at, e.job, view);
    }
    take(e.job, e.where);
  }
  void on(const JobMeasured& /*e*/, const View& /*view*/) {}  // plans read it from the view
  void on(const Refused& /*e*/, const View& /*view*/) {}      // see take_back
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

  /// Whose last change was refused is where it was: first everybody leaves, then they return.
  void take_back(const View& view) {
    const auto for_each = [&](const auto& look) {
      for (const Event& event : view.happened)
        if (const auto* refused = std::get_if<Refused>(&event))
          if (const auto job = job_placed_by(refused->action)) look(*job, refused->action);
    };
    for_each([&](JobId job, const Action& /*action*/) {
      Yard& yard = yards_[yard_of_.at(job.index)];
      if (yard.packing.of(job) != nullptr) vacate(job);
      yard.changed = true;
    });
    for_each([&](JobId job, const Action& action) {
      const bool is_back = yards_[yard_of_.at(job.index)].packing.of(job) != nullptr;
      if (!is_back && !std::holds_alternative<Start>(action)) take(job, view.state.job(job).where);
    });
  }

  /// The job whose place an action changes.
  static std::optional<JobId> job_placed_by(const Action& action) {
    if (const auto* a = std::get_if<Start>(&action)) return a->job;
    if (const auto* a = std::get_if<Preempt>(&action)) return a->job;
    if (const auto* a = std::get_if<Resize>(&action)) return a->job;
    if (const auto* a = std::get_if<Migrate>(&action)) return a->job;
    return std::nullopt;
  }

  void join(JobId id, const View& view) {
    join_at(least_wanted(view.state.job(id).job, view), id, view);
  }

  void join_at(std::uint32_t at, JobId id, const View& view) {
    const Job& job = view.state.job(id).job;
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

  void take(JobId job, const Placement& where) {
    Yard& yard = yards_[yard_of_.at(job.index)];
    yard.packing.take(job, where);
    yard.changed = true;
  }

  std::uint32_t yard_with_gpu(GpuId gpu) {
    return static_cast<std::uint32_t>(&yard_with(cluster_.node_of[gpu.index]) - yards_.data());
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
    for (const JobId id : yard.jobs)
      if (!keep_if_pinned(view.state.job(id), board))
        board.jobs.push_back(board_job(id, yard, view));
    yard.allocator->allocate(board);
    actuate(board, yard.packing, decision);
    yard.ask_again = board.ask_again;
    yard.changed = false;
  }

  /// There is nothing to decide about a pinned job that runs.
  static bool keep_if_pinned(const JobState& job, Board& board) {
    if (!job.job.pinned || job.phase != Phase::running) return false;
    const std::uint32_t gpus = gpu_count(job.where);
    board.gpus -= gpus;
    board.pinned_draw += (board.gpu_type().peak - board.gpu_type().idle) * gpus;
    return true;
  }

  static BoardJob board_job(JobId id, const Yard& yard, const View& view) {
    const JobState& state = view.state.job(id);
    const Placement* where = yard.packing.of(id);
    return {.id = id,
            .state = &state,
            .profile = view.models.find(state.job, yard.type),
            .left = state.left_at(view.now),
            .gpus_now = where == nullptr ? 0 : gpu_count(*where),
            .restart = view.state.costs().before_work(state.starts > 0)};
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
