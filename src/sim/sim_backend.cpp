#include "sim/sim_backend.h"

#include <algorithm>
#include <variant>

#include "base/check.h"

namespace penstock {

SimBackend::SimBackend(JobSource& source, const Cluster& cluster, const SimOptions& options)
    : source_(source), cluster_(cluster), options_(options), now_(options.start) {
  read_next_job();
  if (!options_.failures && options_.outages.empty()) return;
  jobs_on_.resize(cluster.nodes.size());
  down_causes_.resize(cluster.nodes.size());
  for (std::uint32_t i = 0; i < options_.outages.size(); ++i) {
    add(options_.outages[i].from, Kind::outage, i, 0);
    add(options_.outages[i].until, Kind::restored, i, 0);
  }
  if (!options_.failures) return;
  const Rng root = Rng(options_.seed).stream("failures");
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    failure_rngs_.push_back(root.stream(i));
    add(now_ + ceil_duration(failure_rngs_[i].exponential(seconds(options_.failures->mtbf))),
        Kind::failure, i, 0);
  }
}

void SimBackend::add(Time when, Kind kind, std::uint32_t id, std::uint32_t run) {
  entries_.push({when, added_++, kind, id, run});
}

void SimBackend::read_next_job() {
  next_ = source_.next();
}

/// Finishes of runs that were stopped before.
void SimBackend::drop_stale() {
  while (!entries_.empty() && entries_.top().kind == Kind::finish) {
    const Truth* truth = truths_.find(entries_.top().id);
    if (truth != nullptr && truth->running && truth->run == entries_.top().run) return;
    entries_.pop();
  }
}

/// Nobody is left, or those left wait for a policy that does not move.
bool SimBackend::nothing_can_happen(bool asked) const {
  if (next_) return false;
  if (truths_.size() == 0) return true;
  return running_ == 0 && moving_ == 0 && down_ == 0 && !asked;
}

bool SimBackend::wait(std::optional<Time> until, Batch& batch) {
  batch.events.clear();
  batch.submitted.clear();
  drop_stale();
  if (nothing_can_happen(until.has_value())) return false;
  Time when = until.value_or(Time::max());
  if (!entries_.empty()) when = std::min(when, entries_.top().when);
  if (next_) when = std::min(when, next_->job.submitted);
  PENSTOCK_CHECK(when != Time::max());
  now_ = std::max(now_, when);
  batch.now = now_;
  for (; !entries_.empty() && entries_.top().when <= now_; drop_stale()) {
    const Entry entry = entries_.top();
    entries_.pop();
    apply_entry(entry, batch);
  }
  while (next_ && next_->job.submitted <= now_) submit(batch);
  return true;
}

void SimBackend::apply_entry(const Entry& entry, Batch& batch) {
  const auto at_site = [&](void (SimBackend::*change)(std::uint32_t, Batch&)) {
    const Site& site = cluster_.sites[options_.outages[entry.id].site.index];
    for (std::uint32_t i = 0; i < site.nodes; ++i)
      (this->*change)(site.first_node.index + i, batch);
  };
  switch (entry.kind) {
    case Kind::finish:
      return finish(entry.id, batch);
    case Kind::failure:
      return fail(entry.id, batch);
    case Kind::repair:
      return repair(entry.id, batch);
    case Kind::outage:
      return at_site(&SimBackend::add_down_cause);
    case Kind::restored:
      return at_site(&SimBackend::remove_down_cause);
    case Kind::arrival:
      --moving_;
      batch.events.emplace_back(JobArrived{JobId{entry.id}});
      return;
  }
}

void SimBackend::submit(Batch& batch) {
  const Job& job = next_->job;
  const auto rigid = [](Duration time) { return Work(static_cast<double>(time.count())); };
  const Work asked = job.kind_id ? job.work : rigid(job.requested);
  const Work needed = job.kind_id ? next_->work : rigid(next_->actual);
  const bool over = options_.over_request == OverRequest::kill && needed > asked;
  Truth truth{.left = over ? asked : needed,
              .outcome = over ? Outcome::killed : Outcome::completed,
              .load = next_->load};
  for (const JobId parent : job.parents) {
    Truth* found = truths_.find(parent.index);
    if (found == nullptr) continue;
    found->children.push_back(job.id.index);
    ++truth.parents_left;
  }
  batch.events.emplace_back(JobSubmitted{job.id});
  if (!job.parents.empty() && truth.parents_left == 0) batch.events.emplace_back(JobReady{job.id});
  truths_.insert(job.id.index, std::move(truth));
  batch.submitted.push_back(std::move(next_->job));
  read_next_job();
}

void SimBackend::finish(std::uint32_t id, Batch& batch) {
  Truth& truth = truths_.at(id);
  stop(id, truth);
  batch.events.emplace_back(JobFinished{JobId{id}, truth.outcome});
  for (const std::uint32_t child : truth.children)
    if (--truths_.at(child).parents_left == 0) batch.events.emplace_back(JobReady{JobId{child}});
  truths_.erase(id);
}

void SimBackend::add_down_cause(std::uint32_t node, Batch& batch) {
  if (++down_causes_[node] > 1) return;
  const std::vector<std::uint32_t> lost = jobs_on_[node];
  for (const std::uint32_t id : lost) {
    Truth& truth = truths_.at(id);
    update_checkpoint(truth);
    truth.left = truth.left_saved;
    stop(id, truth);
    batch.events.emplace_back(JobInterrupted{JobId{id}, truth.left_at_start - truth.left_saved});
  }
  batch.events.emplace_back(NodeFailed{NodeId{node}});
  ++down_;
}

void SimBackend::remove_down_cause(std::uint32_t node, Batch& batch) {
  if (--down_causes_[node] > 0) return;
  batch.events.emplace_back(NodeRepaired{NodeId{node}});
  --down_;
}

void SimBackend::fail(std::uint32_t node, Batch& batch) {
  add_down_cause(node, batch);
  add(now_ + ceil_duration(failure_rngs_[node].exponential(seconds(options_.failures->mttr))),
      Kind::repair, node, 0);
}

void SimBackend::repair(std::uint32_t node, Batch& batch) {
  remove_down_cause(node, batch);
  add(now_ + ceil_duration(failure_rngs_[node].exponential(seconds(options_.failures->mtbf))),
      Kind::failure, node, 0);
}

/// What is done in a part of a run's time.
Work SimBackend::worked(const Truth& truth, Duration part) const {
  return std::min(truth.speed * part, truth.left);
}

/// Counts the work of a run up to now.
void SimBackend::count_work(Truth& truth) const {
  if (now_ <= truth.work_begins) return;
  truth.left -= worked(truth, now_ - truth.work_begins);
}

/// Finds what the last whole interval of a run has saved. Changing its clock or batch saves
/// nothing.
void SimBackend::update_checkpoint(Truth& truth) const {
  if (!nodes_break() || now_ <= truth.run_begins) return;
  const Duration interval =
      options_.failures ? options_.failures->checkpoint : options_.outage_checkpoint;
  const Duration ran = now_ - truth.run_begins;
  const Duration whole = interval > Duration::zero() ? ran / interval * interval : ran;
  const Duration part = truth.run_begins + whole - truth.work_begins;
  if (part > Duration::zero()) truth.left_saved = truth.left - worked(truth, part);
}

void SimBackend::stop(std::uint32_t id, Truth& truth) {
  truth.running = false;
  --running_;
  for (const std::uint32_t node : truth.nodes) std::erase(jobs_on_[node], id);
  truth.nodes.clear();
}

void SimBackend::execute(const Action& action, const State& state) {
  std::visit([&](const auto& a) { on(a, state); }, action);
}

void SimBackend::on(const Start& a, const State& state) {
  begin_run(state.job(a.job), truths_.at(a.job.index));
}

void SimBackend::on(const Resize& a, const State& state) {
  Truth& truth = truths_.at(a.job.index);
  count_work(truth);
  stop(a.job.index, truth);
  begin_run(state.job(a.job), truth);
}

void SimBackend::on(const Migrate& a, const State& state) {
  on(Resize{a.job, a.where, {}}, state);
}

void SimBackend::on(const SetClock& a, const State& state) {
  change_speed(state.job(a.job));
}

void SimBackend::on(const SetBatch& a, const State& state) {
  change_speed(state.job(a.job));
}

/// The job goes on where it is, at another speed.
void SimBackend::change_speed(const JobState& job) {
  const std::uint32_t id = job.job.id.index;
  Truth& truth = truths_.at(id);
  update_checkpoint(truth);
  count_work(truth);
  truth.work_begins = job.work_begins;
  truth.speed = speed_of(job);
  add(truth.work_begins + truth.left / truth.speed, Kind::finish, id, ++truth.run);
}

void SimBackend::begin_run(const JobState& job, Truth& truth) {
  const std::uint32_t id = job.job.id.index;
  truth.running = true;
  truth.left_at_start = truth.left_saved = truth.left;
  truth.work_begins = truth.run_begins = job.work_begins;
  truth.speed = speed_of(job);
  ++running_;
  add(truth.work_begins + truth.left / truth.speed, Kind::finish, id, ++truth.run);
  if (!nodes_break()) return;
  for (const GpuRange& range : job.where) {
    const std::uint32_t node = cluster_.node_of[range.first.index].index;
    if (!truth.nodes.empty() && truth.nodes.back() == node) continue;
    truth.nodes.push_back(node);
    jobs_on_[node].push_back(id);
  }
}

void SimBackend::on(const Route& a, const State& state) {
  const JobState& job = state.job(a.job);
  ++moving_;
  add(now_ + cluster_.network.delay(job.at, a.to, job.gigabytes()), Kind::arrival, a.job.index, 0);
}

void SimBackend::on(const Preempt& a, const State& /*state*/) {
  Truth& truth = truths_.at(a.job.index);
  count_work(truth);
  stop(a.job.index, truth);
}

namespace {

const Profile* profile_of(const JobState& job, const Cluster& cluster, const Models* models) {
  if (models == nullptr) return nullptr;
  return models->find(job.job, cluster.node(job.where.front().first).type);
}

}  // namespace

Speed SimBackend::speed_of(const JobState& job) const {
  const Profile* profile = profile_of(job, cluster_, options_.models);
  if (profile == nullptr) return Speed(1);
  return Speed(throughput(*profile, config_of(job, cluster_)) / 1e3);
}

Pace SimBackend::pace(const JobState& job) const {
  // A job that scales may be asked about while its end is being told: its truth is gone.
  if (const Profile* profile = profile_of(job, cluster_, options_.models))
    return {speed_of(job), penstock::draw(*profile, config_of(job, cluster_))};
  const Truth& truth = truths_.at(job.job.id.index);
  const GpuType& type = cluster_.type(cluster_.node(job.where.front().first));
  return {Speed(1), (type.idle + (type.peak - type.idle) * truth.load) * gpu_count(job.where)};
}

}  // namespace penstock
