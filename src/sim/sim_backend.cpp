#include "sim/sim_backend.h"

#include <algorithm>
#include <variant>

#include "base/check.h"

namespace penstock {

SimBackend::SimBackend(JobSource& source, const Cluster& cluster, const SimOptions& options)
    : source_(source), cluster_(cluster), options_(options), now_(options.start) {
  pull();
  if (!options_.failures) return;
  const Rng root = Rng(options_.seed).stream("failures");
  jobs_on_.resize(cluster.nodes.size());
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i) {
    luck_.push_back(root.stream(i));
    add(now_ + ceil_duration(luck_[i].exponential(seconds(options_.failures->mtbf))), Kind::failure,
        i, 0);
  }
}

void SimBackend::add(Time when, Kind kind, std::uint32_t id, std::uint32_t run) {
  entries_.push({when, added_++, kind, id, run});
}

void SimBackend::pull() {
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
  return running_ == 0 && down_ == 0 && !asked;
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
    switch (entry.kind) {
      case Kind::finish:
        finish(entry.id, batch);
        break;
      case Kind::failure:
        fail(entry.id, batch);
        break;
      case Kind::repair:
        repair(entry.id, batch);
        break;
    }
  }
  while (next_ && next_->job.submitted <= now_) submit(batch);
  return true;
}

void SimBackend::submit(Batch& batch) {
  const Job& job = next_->job;
  const bool over = options_.over_request == OverRequest::kill && next_->actual > job.requested;
  Truth truth{.left = over ? job.requested : next_->actual,
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
  pull();
}

void SimBackend::finish(std::uint32_t id, Batch& batch) {
  Truth& truth = truths_.at(id);
  stop(id, truth);
  batch.events.emplace_back(JobFinished{JobId{id}, truth.outcome});
  for (const std::uint32_t child : truth.children)
    if (--truths_.at(child).parents_left == 0) batch.events.emplace_back(JobReady{JobId{child}});
  truths_.erase(id);
}

void SimBackend::fail(std::uint32_t node, Batch& batch) {
  const Duration interval = options_.failures->checkpoint;
  const std::vector<std::uint32_t> lost = jobs_on_[node];
  for (const std::uint32_t id : lost) {
    Truth& truth = truths_.at(id);
    const Duration done = worked(truth);
    const Duration kept = interval > Duration::zero() ? done / interval * interval : done;
    truth.left -= kept;
    stop(id, truth);
    batch.events.emplace_back(JobInterrupted{JobId{id}, kept});
  }
  batch.events.emplace_back(NodeFailed{NodeId{node}});
  ++down_;
  add(now_ + ceil_duration(luck_[node].exponential(seconds(options_.failures->mttr))), Kind::repair,
      node, 0);
}

void SimBackend::repair(std::uint32_t node, Batch& batch) {
  batch.events.emplace_back(NodeRepaired{NodeId{node}});
  --down_;
  add(now_ + ceil_duration(luck_[node].exponential(seconds(options_.failures->mtbf))),
      Kind::failure, node, 0);
}

Duration SimBackend::worked(const Truth& truth) const {
  return std::clamp(now_ - truth.work_begins, Duration::zero(), truth.left);
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
  Truth& truth = truths_.at(a.job.index);
  const JobState& job = state.job(a.job);
  truth.running = true;
  truth.work_begins = job.work_begins;
  ++running_;
  add(truth.work_begins + truth.left, Kind::finish, a.job.index, ++truth.run);
  if (!options_.failures) return;
  for (const GpuRange& range : a.where) {
    const std::uint32_t node = cluster_.node_of[range.first.index].index;
    if (!truth.nodes.empty() && truth.nodes.back() == node) continue;
    truth.nodes.push_back(node);
    jobs_on_[node].push_back(a.job.index);
  }
}

void SimBackend::on(const Preempt& a, const State& /*state*/) {
  Truth& truth = truths_.at(a.job.index);
  truth.left -= worked(truth);
  stop(a.job.index, truth);
}

Watts SimBackend::draw(const JobState& job) const {
  const GpuType& type = cluster_.type(cluster_.node(job.where.front().first));
  const double load = truths_.at(job.job.id.index).load;
  return (type.idle + (type.peak - type.idle) * load) * job.job.gpus;
}

}  // namespace penstock
