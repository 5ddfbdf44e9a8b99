#pragma once

#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "policy/policy.h"

namespace penstock {

/// What the world will look like after the actions decided on so far, GPU by GPU.
class Sketch {
 public:
  struct PoolKey {
    SiteId site{};
    GpuTypeId type{};
  };
  struct Place {
    Placement where{};
    std::uint32_t clock_mhz = 0;
    double batch = 0;
  };

  explicit Sketch(const View& view)
      : view_(view), cluster_(view.state.cluster()), held_(cluster_.gpu_count()) {
    for (std::uint32_t i = 0; i < cluster_.nodes.size(); ++i) {
      nodes_.push_back(NodeId{i});
      phases_.push_back(view.state.node(NodeId{i}).phase);
    }
    for (const JobState& job : view.state.running())
      hold(job.job.id, {job.where, job.clock_mhz, job.batch});
  }

  const std::vector<NodeId>& nodes() const { return nodes_; }
  const Models& models() const { return view_.models; }
  const Job& job(JobId id) const { return view_.state.job(id).job; }
  const GpuType& type(GpuTypeId id) const { return cluster_.types[id.index]; }
  NodePhase phase(NodeId id) const { return phases_[id.index]; }
  const Place& place_of(JobId id) const { return places_.at(id); }
  GpuTypeId type_of(JobId id) const { return first_node(id).type; }
  SiteId site_of(JobId id) const { return first_node(id).site; }

  std::vector<JobId> running() const {
    std::vector<JobId> jobs;
    jobs.reserve(places_.size());
    for (const auto& [id, place] : places_) jobs.push_back(id);
    return jobs;
  }
  bool is_empty(NodeId id) const {
    const Node& node = cluster_.node(id);
    for (std::uint32_t i = 0; i < node.gpus; ++i)
      if (held_[node.first.index + i]) return false;
    return true;
  }
  bool extends(const GpuRange& range, GpuId gpu) const {
    return range.first.index + range.count == gpu.index &&
           cluster_.node_of[range.first.index] == cluster_.node_of[gpu.index];
  }
  bool allows(JobId id, GpuTypeId type, const Config& config) const {
    if (config.gpus == job(id).gpus && config.batch == job(id).batch) return true;
    const Profile* profile = models().find(job(id), type);
    return profile != nullptr && may_have_batch(*profile, config.batch, job(id).batch) &&
           runs(*profile, config);
  }

  /// The pool of a node, if the job may run there and, when `site` is given, stays in it.
  std::optional<PoolKey> pool_at(NodeId id, const Job& job, std::optional<SiteId> site) const {
    const Node& node = cluster_.node(id);
    if ((job.gpu_types >> node.type.index & 1) == 0) return std::nullopt;
    if (site && node.site != *site) return std::nullopt;
    return PoolKey{node.site, node.type};
  }

  /// GPUs of a pool that nobody or only `job` holds, on nodes that are not down.
  std::vector<GpuId> free_in(const PoolKey& pool, std::optional<JobId> job) const {
    std::vector<GpuId> free;
    for (std::uint32_t i = 0; i < held_.size(); ++i) {
      const NodeId id = cluster_.node_of[i];
      const Node& node = cluster_.node(id);
      if (node.site != pool.site || node.type != pool.type || phase(id) == NodePhase::down)
        continue;
      if (!held_[i] || held_[i] == job) free.push_back(GpuId{i});
    }
    return free;
  }

  void add(Action action, Decision& decision) {
    std::visit([&](const auto& a) { on(a); }, action);
    decision.actions.push_back(std::move(action));
  }

 private:
  const Node& first_node(JobId id) const {
    return cluster_.node(places_.at(id).where.front().first);
  }

  void on(const Start& a) { hold(a.job, driven(a.job, a.where, a.knobs)); }
  void on(const Preempt& a) { drop(a.job); }
  void on(const Resize& a) {
    drop(a.job);
    hold(a.job, driven(a.job, a.where, a.knobs));
  }
  void on(const Migrate& a) {
    Place place = places_.at(a.job);
    place.where = a.where;
    drop(a.job);
    hold(a.job, place);
  }
  void on(const SetClock& a) { places_.at(a.job).clock_mhz = a.clock_mhz; }
  void on(const SetBatch& a) { places_.at(a.job).batch = a.batch; }
  void on(const Sleep& a) { phases_[a.node.index] = NodePhase::asleep; }
  void on(const Wake& a) { phases_[a.node.index] = NodePhase::awake; }
  void on(const Route& /*a*/) {}

  Place driven(JobId id, const Placement& where, const Knobs& knobs) const {
    const GpuType& type = cluster_.type(cluster_.node(where.front().first));
    return {where, knobs.clock_mhz.value_or(type.max_clock_mhz),
            knobs.batch.value_or(job(id).batch)};
  }
  void hold(JobId id, const Place& place) {
    for (const GpuRange& range : place.where) {
      phases_[cluster_.node_of[range.first.index].index] = NodePhase::awake;
      for (std::uint32_t i = 0; i < range.count; ++i) held_[range.first.index + i] = id;
    }
    places_[id] = place;
  }
  void drop(JobId id) {
    for (std::optional<JobId>& holder : held_)
      if (holder == id) holder.reset();
    places_.erase(id);
  }

  const View& view_;
  const Cluster& cluster_;
  std::vector<NodeId> nodes_;
  std::vector<NodePhase> phases_;           ///< indexed by NodeId
  std::vector<std::optional<JobId>> held_;  ///< indexed by GpuId
  std::map<JobId, Place> places_;           ///< of the jobs that run
};

}  // namespace penstock
