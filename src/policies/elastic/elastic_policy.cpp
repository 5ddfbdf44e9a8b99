#include "policies/elastic/elastic_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <variant>

#include "base/check.h"
#include "base/paged_table.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

/// The part of the work done that a job which has overrun is expected to need still. Chosen.
constexpr double kOverrun = 0.2;
/// For so long, at most, a node that was emptied is expected to sleep.
constexpr Duration kSleepAhead = std::chrono::hours(1);

/// The job whose place an action changes.
std::optional<JobId> job_placed_by(const Action& action) {
  if (const auto* a = std::get_if<Start>(&action)) return a->job;
  if (const auto* a = std::get_if<Preempt>(&action)) return a->job;
  if (const auto* a = std::get_if<Resize>(&action)) return a->job;
  if (const auto* a = std::get_if<Migrate>(&action)) return a->job;
  return std::nullopt;
}

class Actuation {
 public:
  Actuation(const AllocationProblem& problem, Packing& packing, Decision& decision)
      : problem_(problem), packing_(packing), decision_(decision) {}

  /// First come those that keep or give back GPUs, jobs that change their pool not among them.
  void free_gpus() {
    for (const AllocationJob& job : problem_.jobs) {
      if (job.moves()) continue;
      if (!job.runs())
        stop(job);
      else if (job.gpus == job.gpus_now)
        drive(job);
      else if (job.gpus < job.gpus_now)
        shrink(job);
    }
  }

  /// A job leaves its pool, whose packing is `from`; false if there is no room for it here.
  bool bring(const AllocationJob& job, Packing& from) {
    auto where = packing_.place(job.gpus);
    if (!where && make_room(job)) where = packing_.place(job.gpus);
    if (!where) return false;
    from.give(job.id);
    packing_.take(job.id, *where);
    decision_.actions.emplace_back(Resize{job.id, *std::move(where), job.knobs});
    explain(job, [&] { return fmt::format("{}, moved here", gpus_of_type(job)); });
    return true;
  }

  /// A job leaves its pool, whose packing is `from`, and waits for GPUs of this one.
  void stop_elsewhere(const AllocationJob& job, Packing& from) {
    from.give(job.id);
    decision_.actions.emplace_back(Preempt{job.id});
    explain(job, [&] {
      return job.runs() ? fmt::format("stopped, to go on with {}", gpus_of_type(job)) : "stopped";
    });
  }

  /// Last come those that get more. Large blocks first: small ones fit into what remains.
  void use_gpus() {
    std::vector<const AllocationJob*> larger;
    for (const AllocationJob& job : problem_.jobs)
      if (job.gpus > job.gpus_now && !job.moves()) larger.push_back(&job);
    std::ranges::stable_sort(larger, std::ranges::greater{}, &AllocationJob::gpus);
    for (const AllocationJob* job : larger) job->gpus_now == 0 ? start(*job) : grow(*job);
    if (problem_.nodes_sleep && problem_.energy_price > 0) empty_nodes();
  }

 private:
  std::string gpus_of_type(const AllocationJob& job) const {
    return fmt::format("{} of {}", gpus_label(job.gpus), problem_.gpu_type().name);
  }

  void stop(const AllocationJob& job) {
    explain(job, [&] { return job.gpus_now == 0 ? "waits" : "stopped"; });
    if (job.gpus_now == 0) return;
    packing_.give(job.id);
    decision_.actions.emplace_back(Preempt{job.id});
  }

  /// What is done, and why.
  template <class MakeText>
  void explain(const AllocationJob& job, const MakeText& what) {
    add_reason(problem_.view, decision_, job.id, [&] {
      const std::string text = what();
      return job.why.empty() ? text : text + ": " + job.why;
    });
  }
  static std::string gpus_and_clock(const AllocationJob& job) {
    std::string text = gpus_label(job.gpus);
    if (job.knobs.clock_mhz) text += fmt::format(" at {} MHz", *job.knobs.clock_mhz);
    return text;
  }

  /// Clock and batch of a job that keeps its GPUs; what is not chosen stays.
  void drive(const AllocationJob& job) {
    const auto& [clock, batch] = job.knobs;
    if (clock && *clock != job.state->clock_mhz) {
      decision_.actions.emplace_back(SetClock{job.id, *clock});
      explain(job, [&] { return clock_change(*clock, job); });
    }
    if (batch && *batch != job.state->batch) {
      decision_.actions.emplace_back(SetBatch{job.id, *batch});
      explain(job, [&] {
        return fmt::format("a batch of {:.0f} instead of {:.0f}", *batch, job.state->batch);
      });
    }
  }
  static std::string clock_change(std::uint32_t clock, const AllocationJob& job) {
    return fmt::format("{} MHz instead of {}", clock, job.state->clock_mhz);
  }

  void resize(const AllocationJob& job, Placement where) {
    packing_.give(job.id);
    packing_.take(job.id, where);
    decision_.actions.emplace_back(Resize{job.id, std::move(where), job.knobs});
    explain(job,
            [&] { return fmt::format("{} instead of {}", gpus_and_clock(job), job.gpus_now); });
  }

  void shrink(const AllocationJob& job) {
    if (auto where = packing_.place_instead(job.id, job.gpus)) resize(job, *std::move(where));
  }

  void grow(const AllocationJob& job) {
    if (auto where = packing_.place_instead(job.id, job.gpus))
      return resize(job, *std::move(where));
    make_room(job);
    if (auto where = packing_.place_instead(job.id, job.gpus))
      return resize(job, *std::move(where));
    slow_down(job);
  }

  /// A job that keeps its GPUs against the plan may not draw more than was planned for it.
  void slow_down(const AllocationJob& job) {
    const std::uint32_t clock = job.knobs.clock_mhz.value_or(problem_.gpu_type().max_clock_mhz);
    if (clock >= job.state->clock_mhz) return;
    decision_.actions.emplace_back(SetClock{job.id, clock});
    add_reason(problem_.view, decision_, job.id, [&] {
      return fmt::format("{}: there is no room for the {} that were planned",
                         clock_change(clock, job), gpus_label(job.gpus));
    });
  }

  void start(const AllocationJob& job) {
    auto where = packing_.place(job.gpus);
    if (!where && make_room(job)) where = packing_.place(job.gpus);
    if (!where)
      return add_reason(problem_.view, decision_, job.id, [&] {
        return fmt::format("waits: {} are planned for it, but not free together",
                           gpus_label(job.gpus));
      });
    packing_.take(job.id, *where);
    decision_.actions.emplace_back(Start{job.id, *std::move(where), job.knobs});
    explain(job, [&] { return gpus_and_clock(job); });
  }

  /// Every job moved loses a restart; together they must lose less than the job would by
  /// waiting for as long as it still needs.
  bool make_room(const AllocationJob& job) {
    const double worth = seconds(time_as_asked(job));
    const double restart = seconds(problem_.view.state.costs().restart);
    const auto cost = [&](JobId id) {
      return stays(problem_.view.state.job(id)) ? std::numeric_limits<double>::infinity() : restart;
    };
    const auto moves = packing_.make_room(job.gpus, cost);
    if (!moves || static_cast<double>(moves->size()) * restart > worth) return false;
    for (const Move& move : *moves) migrate(move, job);
    return true;
  }

  /// Pinned jobs, and those that have just come from another pool.
  bool stays(const JobState& job) const {
    if (job.job.pinned) return true;
    if (job.phase != Phase::running) return false;
    const Cluster& cluster = problem_.view.state.cluster();
    return !packing_.pool().holds(cluster.node_of[job.where.front().first.index]);
  }

  /// Jobs started by this decision are never moved by it: they are as large as any that follow.
  void migrate(const Move& move, const AllocationJob& for_whom) {
    packing_.give(move.job);
    packing_.take(move.job, move.to);
    decision_.actions.emplace_back(Migrate{move.job, move.to});
    add_reason(problem_.view, decision_, move.job, [&] {
      return fmt::format("moved, so that {} finds {} together", job_label(for_whom.id),
                         gpus_label(for_whom.gpus));
    });
  }

  /// Jobs that this decision has started, resized or moved stay where they are.
  void empty_nodes() {
    std::set<JobId> placed;
    for (const Action& action : decision_.actions)
      if (const auto job = job_placed_by(action)) placed.insert(*job);
    const double restart = seconds(problem_.view.state.costs().restart);
    const auto cost = [&](JobId id) {
      const bool stays = problem_.view.state.job(id).job.pinned || placed.contains(id);
      return stays ? std::numeric_limits<double>::infinity() : restart;
    };
    const auto worth = [&](NodeId id) { return worth_of_sleep(id); };
    for (const Move& move : packing_.empty_nodes(cost, worth)) {
      packing_.give(move.job);
      packing_.take(move.job, move.to);
      decision_.actions.emplace_back(Migrate{move.job, move.to});
      add_reason(problem_.view, decision_, move.job,
                 [] { return std::string("moved, so that its node can sleep"); });
    }
  }

  /// In seconds. The node would have slept anyway once its jobs have ended.
  double worth_of_sleep(NodeId id) const {
    const Cluster& cluster = problem_.view.state.cluster();
    const Node& node = cluster.node(id);
    Duration longest{};
    for (std::uint32_t i = 0; i < node.gpus; ++i)
      if (const auto job = packing_.holder(GpuId{node.first.index + i}))
        longest = std::max(longest, time_ahead(*job));
    const Watts saved = idle_draw(cluster, node, NodePhase::awake).total() -
                        idle_draw(cluster, node, NodePhase::asleep).total();
    return problem_.energy_price * (saved * std::min(longest, kSleepAhead)).value();
  }

  /// At the speed it has.
  Duration time_ahead(JobId id) const {
    const JobState& job = problem_.view.state.job(id);
    if (job.speed <= Speed{}) return Duration::zero();
    return job.left_at(problem_.view.now) / job.speed;
  }

  const AllocationProblem& problem_;
  Packing& packing_;
  Decision& decision_;
};

}  // namespace

void actuate(const AllocationProblem& problem, Packing& packing, Decision& decision) {
  Actuation actuation(problem, packing, decision);
  actuation.free_gpus();
  actuation.use_gpus();
}

namespace {

/// The GPUs of one type at one site, and the jobs that are there or wait for them.
struct PoolJobs {
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
  ElasticPolicy(const PolicySetting& setting, const MakeAllocator& make_allocator,
                std::unique_ptr<SharedByPools> shared)
      : cluster_(setting.cluster),
        nodes_sleep_(setting.costs.sleep_after.has_value()),
        shared_(std::move(shared)),
        chooser_(shared_ == nullptr ? nullptr : shared_->pool_chooser()) {
    for (const Pool& pool : make_pools(setting.cluster, PlaceRule::buddy))
      pools_.push_back({.packing = Packing(setting.cluster, pool.site(), pool.type()),
                        .allocator = make_allocator(),
                        .site = pool.site(),
                        .type = pool.type()});
  }

  Decision decide(const View& view) override {
    undo_refused(view);
    for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
    const auto is_due = [&](const PoolJobs& pool) {
      return pool.changed || (pool.ask_again && *pool.ask_again <= view.now);
    };
    const bool anyone_is_due = std::ranges::any_of(pools_, is_due);
    std::vector<PoolJobs*> due;
    for (PoolJobs& pool : pools_)
      if (is_due(pool) ||
          (anyone_is_due && (chooser_ != nullptr || pool.allocator->depends_on_others())))
        due.push_back(&pool);
    Decision decision;
    arrange(due, view, decision);
    for (const PoolJobs& pool : pools_)
      if (const auto ask = pool.changed ? view.now : pool.ask_again)
        decision.ask_again = std::min(decision.ask_again.value_or(Time::max()), *ask);
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
    change_pool(e.job, pool_with_gpu(e.where.front().first), view);
    take(e.job, e.where);
  }
  void on(const JobMeasured& /*e*/, const View& /*view*/) {}  // plans read it from the view
  void on(const Refused& /*e*/, const View& /*view*/) {}      // see undo_refused
  void on(const NodeFailed& e, const View& /*view*/) {
    PoolJobs& pool = pool_with(e.node);
    pool.packing.node_down(e.node);
    pool.changed = true;
  }
  void on(const NodeRepaired& e, const View& /*view*/) {
    PoolJobs& pool = pool_with(e.node);
    pool.packing.node_up(e.node);
    pool.changed = true;
  }

  /// Whose last change was refused is where it was: first everybody leaves, then they return.
  void undo_refused(const View& view) {
    const auto for_each = [&](const auto& look) {
      for (const Event& event : view.happened)
        if (const auto* refused = std::get_if<Refused>(&event))
          if (const auto job = job_placed_by(refused->action)) look(*job, refused->action);
    };
    for_each([&](JobId job, const Action& /*action*/) {
      PoolJobs& pool = pools_[pool_of_.at(job.index)];
      if (pool.packing.of(job) != nullptr) vacate(job);
      pool.changed = true;
    });
    for_each([&](JobId job, const Action& action) {
      const bool is_back = pools_[pool_of_.at(job.index)].packing.of(job) != nullptr;
      if (is_back || std::holds_alternative<Start>(action)) return;
      const Placement& where = view.state.job(job).where;
      change_pool(job, pool_with_gpu(where.front().first), view);
      take(job, where);
    });
  }

  void join(JobId id, const View& view) {
    join_at(least_wanted(view.state.job(id).job, view), id, view);
  }

  void join_at(std::uint32_t at, JobId id, const View& view) {
    const Job& job = view.state.job(id).job;
    pool_of_.insert(id.index, at);
    PoolJobs& pool = pools_[at];
    pool.jobs.insert(std::ranges::upper_bound(pool.jobs, id), id);
    pool.gpus_asked += job.gpus;
    pool.changed = true;
  }

  /// Of the pools that can hold the job, one whose models know it before one whose do not.
  std::uint32_t least_wanted(const Job& job, const View& view) const {
    std::optional<std::uint32_t> best;
    const auto rank = [&](std::uint32_t i) {
      const PoolJobs& pool = pools_[i];
      const double wanted = static_cast<double>(pool.gpus_asked) / pool.packing.pool().total();
      return std::pair(view.models.find(job, pool.type) == nullptr, wanted);
    };
    for (std::uint32_t i = 0; i < pools_.size(); ++i) {
      const bool suits = (job.gpu_types >> pools_[i].type.index & 1) != 0 &&
                         job.gpus <= pools_[i].packing.pool().total();
      if (suits && (!best || rank(i) < rank(*best))) best = i;
    }
    PENSTOCK_CHECK(best.has_value());
    return *best;
  }

  void leave(JobId id, const View& view) {
    PoolJobs& pool = pools_[pool_of_.at(id.index)];
    pool.gpus_asked -= view.state.job(id).job.gpus;
    pool.jobs.erase(std::ranges::lower_bound(pool.jobs, id));
    pool.changed = true;
    pool_of_.erase(id.index);
  }

  void change_pool(JobId job, std::uint32_t to, const View& view) {
    if (pool_of_.at(job.index) == to) return;
    leave(job, view);
    join_at(to, job, view);
  }

  void vacate(JobId job) {
    PoolJobs& pool = pools_[pool_of_.at(job.index)];
    pool.packing.give(job);
    pool.changed = true;
  }

  void take(JobId job, const Placement& where) {
    PoolJobs& pool = pools_[pool_of_.at(job.index)];
    pool.packing.take(job, where);
    pool.changed = true;
  }

  std::uint32_t pool_with_gpu(GpuId gpu) {
    return static_cast<std::uint32_t>(&pool_with(cluster_.node_of[gpu.index]) - pools_.data());
  }

  PoolJobs& pool_with(NodeId node) {
    return *std::ranges::find_if(
        pools_, [&](const PoolJobs& pool) { return pool.packing.pool().holds(node); });
  }

  void arrange(std::span<PoolJobs* const> pools, const View& view, Decision& decision) {
    std::vector<AllocationProblem> problems = problems_of(pools, view);
    if (chooser_ != nullptr && choose_pools(problems, view)) problems = problems_of(pools, view);
    for (std::size_t i = 0; i < pools.size(); ++i) pools[i]->allocator->look(problems[i]);
    for (std::size_t i = 0; i < pools.size(); ++i) {
      pools[i]->allocator->allocate(problems[i]);
      if (chooser_ == nullptr) actuate(problems[i], pools[i]->packing, decision);
      pools[i]->ask_again = problems[i].ask_again;
      pools[i]->changed = false;
    }
    if (chooser_ != nullptr) actuate_together(problems, decision);
  }

  std::vector<AllocationProblem> problems_of(std::span<PoolJobs* const> pools,
                                             const View& view) const {
    std::vector<AllocationProblem> problems;
    problems.reserve(pools.size());
    for (PoolJobs* pool : pools) {
      if (nodes_sleep_) mark_sleepers(*pool, view);
      problems.push_back(problem_of(*pool, view));
    }
    return problems;
  }

  /// Whether any job changed its pool. It keeps its GPUs in the other until it is moved.
  bool choose_pools(std::span<const AllocationProblem> problems, const View& view) {
    if (problems.empty()) return false;
    const std::vector<PoolChange> changes = chooser_->choose(problems);
    for (const PoolChange& change : changes) change_pool(change.job, change.to, view);
    return !changes.empty();
  }

  /// A job on its way from one pool to another.
  struct Mover {
    const AllocationJob* job = nullptr;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  /// The problems are those of all pools. Every job that runs afterwards is in the pool of its
  /// GPUs.
  void actuate_together(std::span<const AllocationProblem> problems, Decision& decision) {
    std::vector<Actuation> actuations;
    std::vector<Mover> movers;
    for (std::uint32_t i = 0; i < problems.size(); ++i) {
      actuations.emplace_back(problems[i], pools_[i].packing, decision).free_gpus();
      for (const AllocationJob& job : problems[i].jobs)
        if (job.moves()) movers.push_back({&job, pool_with_gpu(job.state->where.front().first), i});
    }
    move(std::move(movers), actuations);
    for (Actuation& actuation : actuations) actuation.use_gpus();
  }

  /// Each as soon as there is room for it, the largest first. If none can go, perhaps because each
  /// waits for the GPUs of another, one is stopped.
  void move(std::vector<Mover> movers, std::span<Actuation> actuations) {
    const auto stop = [&](const Mover& mover) {
      actuations[mover.to].stop_elsewhere(*mover.job, pools_[mover.from].packing);
      if (mover.job->runs()) pools_[mover.to].changed = true;  // it can start at once
    };
    const auto must_stop = [](const Mover& mover) {
      return !mover.job->runs() || !mover.job->state->job.kind_id;
    };
    const auto goes = [&](const Mover& mover) {
      return actuations[mover.to].bring(*mover.job, pools_[mover.from].packing);
    };
    for (const Mover& mover : movers)
      if (must_stop(mover)) stop(mover);
    std::erase_if(movers, must_stop);
    std::ranges::stable_sort(movers, std::ranges::greater{},
                             [](const Mover& mover) { return mover.job->gpus; });
    while (!movers.empty()) {
      if (std::erase_if(movers, goes) > 0) continue;
      stop(movers.front());
      movers.erase(movers.begin());
    }
  }

  AllocationProblem problem_of(const PoolJobs& pool, const View& view) const {
    AllocationProblem problem{.view = view,
                              .packing = pool.packing,
                              .site = pool.site,
                              .type = pool.type,
                              .gpus = pool.packing.capacity(),
                              .node_gpus = pool.packing.pool().largest_node(),
                              .nodes_sleep = nodes_sleep_};
    problem.jobs.reserve(pool.jobs.size());
    for (const JobId id : pool.jobs)
      if (!keep_if_pinned(view.state.job(id), problem))
        problem.jobs.push_back(allocation_job(id, pool, view));
    return problem;
  }

  /// There is nothing to decide about a pinned job that runs.
  static bool keep_if_pinned(const JobState& job, AllocationProblem& problem) {
    if (!job.job.pinned || job.phase != Phase::running) return false;
    const std::uint32_t gpus = gpu_count(job.where);
    const Watts draw = (problem.gpu_type().peak - problem.gpu_type().idle) * gpus;
    problem.gpus -= gpus;
    problem.pinned_draw += draw;
    problem.pinned_ahead += draw * (job.left_at(problem.view.now) / job.job.asked_speed());
    return true;
  }

  /// A job that has done all that its user said will need a part of that again.
  static Work believed_left(const JobState& job, Time now) {
    const Work done = job.done_by(now);
    return done < job.job.work ? job.left_at(now) : std::max(job.left_at(now), done * kOverrun);
  }

  static AllocationJob allocation_job(JobId id, const PoolJobs& pool, const View& view) {
    const JobState& state = view.state.job(id);
    const Placement* where = pool.packing.of(id);
    return {.id = id,
            .state = &state,
            .profile = view.models.find(state.job, pool.type),
            .left = believed_left(state, view.now),
            .gpus_now = where == nullptr ? 0 : gpu_count(*where),
            .restart = view.state.costs().before_work(state.starts > 0)};
  }

  void mark_sleepers(PoolJobs& pool, const View& view) const {
    const Site& site = cluster_.sites[pool.site.index];
    for (std::uint32_t i = 0; i < site.nodes; ++i) {
      const NodeId node{site.first_node.index + i};
      if (pool.packing.pool().holds(node))
        pool.packing.set_asleep(node, view.state.node(node).phase == NodePhase::asleep);
    }
  }

  const Cluster& cluster_;
  bool nodes_sleep_;
  std::unique_ptr<SharedByPools> shared_;
  PoolChooser* chooser_;  ///< null: every job stays in its pool
  std::vector<PoolJobs> pools_;
  PagedTable<std::uint32_t> pool_of_;  ///< indexed by JobId
};

}  // namespace

std::unique_ptr<Policy> make_elastic_policy(const PolicySetting& setting,
                                            const MakeAllocator& make_allocator,
                                            std::unique_ptr<SharedByPools> shared) {
  return std::make_unique<ElasticPolicy>(setting, make_allocator, std::move(shared));
}

}  // namespace penstock
