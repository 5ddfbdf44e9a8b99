#include "model/state.h"

#include <algorithm>
#include <variant>

#include "base/check.h"

namespace penstock {

Work JobState::done_by(Time now) const {
  if (phase != Phase::running || now <= work_begins) return done;
  return std::clamp(done + speed * (now - work_begins), Work{}, job.work);
}

Work JobState::left_at(Time now) const {
  return std::max(job.work - done_by(now), job.asked_speed() * Duration(1));
}

Duration JobState::remaining_request() const {
  return std::max((job.work - done) / job.asked_speed(), Duration(1));
}

NodeDraw idle_draw(const Cluster& cluster, const Node& node, NodePhase phase) {
  const GpuType& type = cluster.type(node);
  switch (phase) {
    case NodePhase::awake:
      if (cluster.has_power_table(node)) return {Watts(0), cluster.tables(node)->power.front()};
      return {type.idle * node.gpus, node.base};
    case NodePhase::asleep:
      return {type.sleep * node.gpus, node.base_sleep};
    case NodePhase::down:
      break;
  }
  return {};
}

std::uint32_t node_count(const Placement& where, const Cluster& cluster) {
  std::uint32_t nodes = 0;
  std::optional<NodeId> last;
  for (const GpuRange& range : where) {
    const NodeId node = cluster.node_of[range.first.index];
    if (node != last) ++nodes;
    last = node;
  }
  return nodes;
}

Config config_of(const JobState& state, const Cluster& cluster) {
  Config config{.gpus = gpu_count(state.where),
                .nodes = node_count(state.where, cluster),
                .batch = state.batch};
  const GpuType& type = cluster.type(cluster.node(state.where.front().first));
  if (type.max_clock_mhz > 0)
    config.clock = static_cast<double>(state.clock_mhz) / type.max_clock_mhz;
  return config;
}

namespace {

void count_use(JobState& state, Time now) {
  const Duration since = now - state.configured;
  state.gpu_time += since * gpu_count(state.where);
  state.clock_time += static_cast<double>(since.count()) * state.clock_mhz;
  state.configured = now;
}

/// Until now it worked with the knobs that it had.
void count_until_change(JobState& state, Time now) {
  state.done = state.done_by(now);
  state.work_begins = std::max(state.work_begins, now);
  count_use(state, now);
}

}  // namespace

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
  if (added.job.work == Work{})
    added.job.work = Work(static_cast<double>(added.job.requested.count()));
  added.speed = added.job.asked_speed();
  added.at = added.job.home;
  added.phase = added.job.parents.empty() ? Phase::queued : Phase::held;
}

void State::adopt(const JobState& other) {
  PENSTOCK_CHECK(other.phase == Phase::queued);
  JobState& added = jobs_.insert(other.job.id.index);
  added = other;
  added.job.parents.clear();
  added.where.clear();
  added.at = kNoSite;
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
  state.done = state.saved + e.kept;
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

void State::on(const JobArrived& e, Time /*now*/) {
  JobState& state = jobs_.at(e.job.index);
  PENSTOCK_CHECK(state.phase == Phase::moving);
  enqueue(state);
}

void State::on(const JobWithdrawn& e, Time /*now*/) {
  JobState& state = jobs_.at(e.job.index);
  PENSTOCK_CHECK(state.phase == Phase::queued);
  queue_.remove(jobs_, e.job.index);
  state.phase = Phase::ended;
}

void State::on(const JobStarted& e, Time now) {
  on(Start{e.job, e.where, e.knobs}, now);
  JobState& state = jobs_.at(e.job.index);
  if (state.starts == 1) state.first_start = e.since;
  state.work_begins = now;
  state.done = std::max(state.done, e.done);
}

void State::on(const JobMeasured& e, Time /*now*/) {
  JobState& state = jobs_.at(e.job.index);
  PENSTOCK_CHECK(state.phase == Phase::running || state.phase == Phase::queued);
  if (!e.progress) return;
  state.done = std::min(e.progress->done, state.job.work);
  if (state.phase == Phase::running)
    state.done -= state.speed * (e.progress->since - state.work_begins);
}

void State::on(const Refused& /*e*/, Time /*now*/) {}

void State::correct(std::span<const Correction> jobs, Time now) {
  for (const Correction& job : jobs) {
    JobState& mine = jobs_.at(job.truth->job.id.index);
    if (mine.phase == Phase::running)
      release(mine, now);
    else
      queue_.remove(jobs_, mine.job.id.index);
  }
  for (const auto& [truth, where] : jobs) {
    JobState& mine = jobs_.at(truth->job.id.index);
    Job job = std::move(mine.job);
    const SiteId at = mine.at;
    mine = *truth;
    mine.job = std::move(job);
    mine.at = at;
    mine.where.clear();
    if (where.empty()) {
      enqueue(mine);
      continue;
    }
    mine.phase = Phase::running;
    occupy(mine, where, now);
    mine.started = truth->started;
    mine.configured = truth->configured;
    mine.work_begins = truth->work_begins;
    mine.saved = truth->saved;
    running_.append(jobs_, mine.job.id.index);
  }
}

void State::on(const Route& a, Time /*now*/) {
  JobState& state = jobs_.at(a.job.index);
  PENSTOCK_CHECK(state.phase == Phase::queued);
  queue_.remove(jobs_, a.job.index);
  state.phase = Phase::moving;
  state.at = a.to;
  ++state.transfers;
}

void State::on(const Start& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  PENSTOCK_CHECK(state.phase == Phase::queued);
  queue_.remove(jobs_, a.job.index);
  state.phase = Phase::running;
  occupy(state, a.where, now);
  configure(state, a.knobs);
  if (state.starts++ == 0) state.first_start = now;
  state.work_begins += costs_.before_work(state.starts > 1);
  running_.append(jobs_, a.job.index);
}

void State::on(const Preempt& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  state.done = state.done_by(now);
  release(state, now);
  ++state.preemptions;
  enqueue(state);
}

void State::on(const Resize& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  move(state, a.where, now);
  configure(state, a.knobs);
  ++state.resizes;
}

void State::on(const Migrate& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  move(state, a.where, now);
  ++state.migrations;
}

/// The checkpoint is read once the new nodes are ready.
void State::move(JobState& state, const Placement& where, Time now) {
  state.done = state.done_by(now);
  vacate(state, now);
  occupy(state, where, now);
  state.work_begins += costs_.before_work(true);
}

void State::on(const SetClock& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  count_until_change(state, now);
  state.clock_mhz = a.clock_mhz;
}

void State::on(const SetBatch& a, Time now) {
  JobState& state = jobs_.at(a.job.index);
  count_until_change(state, now);
  state.batch = a.batch;
}

void State::configure(JobState& state, const Knobs& knobs) const {
  const GpuType& type = cluster_.type(cluster_.node(state.where.front().first));
  state.clock_mhz = knobs.clock_mhz.value_or(type.max_clock_mhz);
  state.batch = knobs.batch.value_or(state.job.batch);
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

void State::occupy(JobState& state, const Placement& where, Time now) {
  Time ready = now;
  for (const GpuRange& range : where) {
    const NodeId id = cluster_.node_of[range.first.index];
    NodeState& node = nodes_[id.index];
    if (node.phase == NodePhase::asleep) wake(id, now);
    ready = std::max(ready, node.ready_at);
    node.free -= range.count;
    free_.erase(range);
    sites_[cluster_.node(id).site.index].busy_gpus += range.count;
  }
  ++sites_[site_of(where).index].running_jobs;
  state.where = where;
  state.saved = state.done;
  state.started = now;
  state.configured = now;
  state.work_begins = ready;
}

void State::release(JobState& state, Time now) {
  PENSTOCK_CHECK(state.phase == Phase::running);
  running_.remove(jobs_, state.job.id.index);
  vacate(state, now);
}

void State::vacate(JobState& state, Time now) {
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
  count_use(state, now);
}

}  // namespace penstock
