#include "model/state.h"

#include <algorithm>
#include <variant>

#include "base/check.h"

namespace penstock {

Duration JobState::remaining_request() const {
  return std::max(job.requested - kept, Duration(1));
}

void JobList::append(PagedTable<JobState>& jobs, std::uint32_t index) {
  JobState& added = jobs.at(index);
  added.previous = last_;
  added.next = kNone;
  (last_ == kNone ? first_ : jobs.at(last_).next) = index;
  last_ = index;
  ++size_;
}

void JobList::remove(PagedTable<JobState>& jobs, std::uint32_t index) {
  const JobState& removed = jobs.at(index);
  (removed.previous == kNone ? first_ : jobs.at(removed.previous).next) = removed.next;
  (removed.next == kNone ? last_ : jobs.at(removed.next).previous) = removed.previous;
  --size_;
}

State::State(const Cluster& cluster, Costs costs, Time start)
    : cluster_(cluster),
      costs_(costs),
      queue_(jobs_),
      running_(jobs_),
      sites_(cluster.sites.size()),
      free_(cluster.gpu_count()) {
  nodes_.reserve(cluster.nodes.size());
  for (const Node& node : cluster.nodes)
    nodes_.push_back({.free = node.gpus, .idle_since = start, .ready_at = start});
  free_.insert({GpuId{0}, cluster.gpu_count()});
}

void State::admit(Job&& job) {
  JobState& added = jobs_.insert(job.id.index);
  added.job = std::move(job);
  added.phase = added.job.parents.empty() ? Phase::queued : Phase::held;
}

void State::retire(JobId id) {
  PENSTOCK_CHECK(jobs_.at(id.index).phase == Phase::ended);
  jobs_.erase(id.index);
}

void State::apply(const Event& event, Time now) {
  std::visit([&](const auto& e) { on(e, now); }, event);
}

void State::apply(const Action& action, Time now) {
  std::visit([&](const auto& a) { on(a, now); }, action);
}

void State::enqueue(JobState& state) {
  state.phase = Phase::queued;
  queue_.append(jobs_, state.job.id.index);
}

void State::on(const JobSubmitted& e, Time /*now*/) {
  JobState& state = jobs_.at(e.job.index);
  if (state.phase == Phase::queued) enqueue(state);
}

void State::on(const JobReady& e, Time /*now*/) {
  JobState& state = jobs_.at(e.job.index);
  PENSTOCK_CHECK(state.phase == Phase::held);
  enqueue(state);
}

void State::on(const JobFinished& e, Time now) {
  JobState& state = jobs_.at(e.job.index);
  release(state, now);
  state.phase = Phase::ended;
}

void State::on(const JobInterrupted& e, Time now) {
  JobState& state = jobs_.at(e.job.index);
  release(state, now);
  ++state.interruptions;
  state.kept += e.kept;
  enqueue(state);
}

void State::on(const NodeFailed& e, Time /*now*/) {
  NodeState& node = nodes_[e.node.index];
  PENSTOCK_CHECK(node.phase != NodePhase::down && node.free == cluster_.node(e.node).gpus);
  SiteState& site = sites_[cluster_.node(e.node).site.index];
  if (node.phase == NodePhase::asleep) --site.sleeping_nodes;
  node.phase = NodePhase::down;
  ++site.down_nodes;
}

void State::on(const NodeRepaired& e, Time now) {
  NodeState& node = nodes_[e.node.index];
  PENSTOCK_CHECK(node.phase == NodePhase::down);
  node.phase = NodePhase::awake;
  node.idle_since = now;
  node.ready_at = now;
  --sites_[cluster_.node(e.node).site.index].down_nodes;
}

void State::on(const Start& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  PENSTOCK_CHECK(state.phase == Phase::queued);
  queue_.remove(jobs_, a.job.index);
  Time ready = now;
  for (const GpuRange& range : a.where) {
    const NodeId id = cluster_.node_of[range.first.index];
    NodeState& node = nodes_[id.index];
    if (node.phase == NodePhase::asleep) wake(id, now);
    ready = std::max(ready, node.ready_at);
    node.free -= range.count;
    free_.erase(range);
    sites_[cluster_.node(id).site.index].busy_gpus += range.count;
  }
  ++sites_[site_of(a.where).index].running_jobs;
  state.phase = Phase::running;
  state.where = a.where;
  state.started = now;
  if (state.starts++ == 0) state.first_start = now;
  state.work_begins = ready + (state.starts > 1 ? costs_.restart : Duration::zero());
  running_.append(jobs_, a.job.index);
}

void State::on(const Preempt& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  release(state, now);
  ++state.preemptions;
  state.kept += std::max(now - state.work_begins, Duration::zero());
  enqueue(state);
}

void State::on(const Sleep& a, Time /*now*/) {
  NodeState& node = nodes_[a.node.index];
  PENSTOCK_CHECK(node.phase == NodePhase::awake && node.free == cluster_.node(a.node).gpus);
  node.phase = NodePhase::asleep;
  ++sites_[cluster_.node(a.node).site.index].sleeping_nodes;
}

void State::on(const Wake& a, Time now) {
  wake(a.node, now);
}

void State::wake(NodeId id, Time now) {
  NodeState& node = nodes_[id.index];
  PENSTOCK_CHECK(node.phase == NodePhase::asleep);
  node.phase = NodePhase::awake;
  node.idle_since = now;
  node.ready_at = now + costs_.wake;
  --sites_[cluster_.node(id).site.index].sleeping_nodes;
}

void State::release(JobState& state, Time now) {
  PENSTOCK_CHECK(state.phase == Phase::running);
  running_.remove(jobs_, state.job.id.index);
  for (const GpuRange& range : state.where) {
    const NodeId id = cluster_.node_of[range.first.index];
    NodeState& node = nodes_[id.index];
    node.free += range.count;
    if (node.free == cluster_.node(id).gpus) node.idle_since = now;
    free_.insert(range);
    sites_[cluster_.node(id).site.index].busy_gpus -= range.count;
  }
  --sites_[site_of(state.where).index].running_jobs;
  state.held += now - state.started;
}

}  // namespace penstock
