#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/rng.h"
#include "worlds/run_log.h"
#include "worlds/text.h"

namespace penstock {

/// How often others interfere, in [0, 1].
struct Meddling {
  double starts = 0;    ///< of batches of submissions in which somebody else starts a waiting job
  double refusals = 0;  ///< of actions
  std::uint64_t seed = 0;
  double measures =
      0;  ///< of batches in which jobs turn out to be elsewhere, and to draw otherwise
};

/// A simulated world in which others start jobs too, and in which not all that is decided is done.
/// Whoever was refused is asked again a second later.
class Meddler final : public Backend, public Fence {
 public:
  Meddler(SimBackend& sim, const Meddling& meddling)
      : sim_(sim), meddling_(meddling), rng_(Rng(meddling.seed).stream("meddling")) {}

  /// The world as the scheduler sees it.
  void show(const State& state) { state_ = &state; }

  bool wait(std::optional<Time> until, Batch& batch) override {
    if (refused_) until = std::min(until.value_or(Time::max()), now_ + std::chrono::seconds(1));
    refused_ = false;
    if (!sim_.wait(until, batch)) return false;
    now_ = batch.now;
    if (state_ != nullptr && rng_.uniform() < meddling_.starts) start_some(batch);
    if (state_ != nullptr && meddling_.measures > 0 && rng_.uniform() < meddling_.measures)
      measure_some(batch);
    return true;
  }

  void execute(const Action& action, const State& state) override { sim_.execute(action, state); }

  Pace pace(const JobState& job) const override {
    if (begun_.erase(job.job.id) > 0) sim_.execute(Start{job.job.id, job.where, {}}, *state_);
    return sim_.pace(job);
  }

  std::optional<std::string> refuses(const Action& /*action*/, const State& /*state*/) override {
    if (rng_.uniform() >= meddling_.refusals) return std::nullopt;
    refused_ = true;
    return "somebody is against it";
  }

 private:
  /// Of jobs as they were before the batch, unless they end in it. The truth is as it was.
  void measure_some(Batch& batch) {
    std::vector<Event> events;
    std::set<JobId> ended;
    for (const Event& event : batch.events)
      if (const auto* end = std::get_if<JobFinished>(&event)) ended.insert(end->job);
    const auto measure = [&](const JobState& job) {
      if (rng_.uniform() < 0.5 || ended.contains(job.job.id)) return;
      JobMeasured event{.job = job.job.id};
      const Duration ago(static_cast<Duration::rep>(rng_.below(4000)));
      if (rng_.uniform() < 0.5)
        event.progress = {job.job.work * (1.2 * rng_.uniform()), now_ + Duration(1000) - ago};
      if (job.phase == Phase::running && rng_.uniform() < 0.7)
        event.drew = Watts(500 * rng_.uniform()) * gpu_count(job.where);
      events.emplace_back(event);
    };
    for (const JobState& job : state_->running()) measure(job);
    for (const JobState& job : state_->queue()) measure(job);
    batch.events.insert(batch.events.begin(), events.begin(), events.end());
  }

  /// Only in batches of nothing but submissions: before them the state shows what is free.
  void start_some(Batch& batch) {
    for (const Event& event : batch.events)
      if (!std::holds_alternative<JobSubmitted>(event)) return;
    GpuSet free = state_->free_gpus();
    const auto try_start = [&](const Job& job, SiteId at) {
      if (rng_.uniform() < 0.5) return;
      const Placement where = somewhere(job, at, free);
      if (where.empty()) return;
      for (const GpuRange& range : where) free.erase(range);
      batch.events.emplace_back(JobStarted{job.id, where, {}, now_, {}});
      begun_.insert(job.id);
    };
    for (const JobState& job : state_->queue())
      if (job.starts == 0) try_start(job.job, job.at);
    for (const Job& job : batch.submitted)
      if (job.parents.empty()) try_start(job, job.home);
  }

  /// Any free GPUs of a pool in which the job may run, not as a policy would choose them.
  Placement somewhere(const Job& job, SiteId at, const GpuSet& free) {
    const Cluster& cluster = state_->cluster();
    const NodeId first{static_cast<std::uint32_t>(rng_.below(cluster.nodes.size()))};
    const Node& like = cluster.node(first);
    const bool suits = (job.gpu_types >> like.type.index & 1) != 0;
    if (!suits || (at != kNoSite && at != like.site)) return {};
    std::vector<GpuId> all;
    for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
      const Node& node = cluster.nodes[i];
      const NodeState& state = state_->node(NodeId{i});
      const bool works = state.phase == NodePhase::awake && state.ready_at <= now_;
      if (node.site != like.site || node.type != like.type || !works) continue;
      for (std::uint32_t g = 0; g < node.gpus; ++g)
        if (const GpuId gpu{node.first.index + g}; free.count({gpu, 1}) == 1) all.push_back(gpu);
    }
    return some_of(all, job.gpus, cluster);
  }

  Placement some_of(std::vector<GpuId> all, std::uint32_t count, const Cluster& cluster) {
    if (all.size() < count) return {};
    while (all.size() > count)
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(rng_.below(all.size())));
    Placement where;
    for (const GpuId gpu : all) {
      const bool follows = !where.empty() &&
                           where.back().first.index + where.back().count == gpu.index &&
                           cluster.node_of[where.back().first.index] == cluster.node_of[gpu.index];
      if (follows)
        ++where.back().count;
      else
        where.push_back({gpu, 1});
    }
    return where;
  }

  SimBackend& sim_;
  Meddling meddling_;
  Rng rng_;
  const State* state_ = nullptr;
  Time now_{};
  bool refused_ = false;
  mutable std::set<JobId> begun_;  ///< by others, not yet known to the simulated world
};

/// Writes down what was really done, and shows the meddler the world.
class MeddledRecorder final : public Observer {
 public:
  MeddledRecorder(RunLog& log, Meddler& meddler) : log_(log), recorder_(log), meddler_(meddler) {}
  void before(const Batch& batch, const State& state, const Ledger& ledger) override {
    meddler_.show(state);
    recorder_.before(batch, state, ledger);
  }
  void decided(Time now, const Decision& decision, const State& state) override {
    recorder_.decided(now, decision, state);
  }
  void ended(const JobRecord& record) override { recorder_.ended(record); }
  void refused(Time /*now*/, const Action& action, const std::string& /*why*/) override {
    auto& actions = log_.turns.back().actions;
    const auto found = std::ranges::find_if(
        actions, [&](const Action& other) { return text_of(other) == text_of(action); });
    if (found != actions.end()) actions.erase(found);
  }

 private:
  RunLog& log_;
  Recorder recorder_;
  Meddler& meddler_;
};

inline RunLog run_meddled(const World& world, Policy& policy, const Meddling& meddling) {
  RunLog log;
  SimOptions options = world.sim;
  options.models = &world.models;
  VectorSource source(world.jobs);
  SimBackend sim(source, world.cluster, options);
  Meddler meddler(sim, meddling);
  FixedModels learner(world.models);
  MeddledRecorder recorder(log, meddler);
  log.result = run(meddler, policy,
                   {.cluster = world.cluster,
                    .signals = world.signals,
                    .forecasts = world.forecasts,
                    .costs = world.costs,
                    .start = world.start(),
                    .learner = &learner,
                    .fence = meddling.refusals > 0 ? &meddler : nullptr},
                   recorder);
  return log;
}

}  // namespace penstock
