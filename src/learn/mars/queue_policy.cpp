#include "learn/mars/queue_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "learn/queue/strategy.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

constexpr std::size_t kRemembered = 1024;  ///< arrivals and ends

}  // namespace

QueuePolicy::QueuePolicy(const PolicySetting& setting, const QueuePolicyRules& rules,
                         const PastJobs& past, std::unique_ptr<QueuePlayer> player)
    : rules_(rules.snapshot),
      room_(setting.cluster, rules.place, false),
      player_(std::move(player)),
      options_(rules.queue),
      history_(kRemembered, past) {
  options_.origin = setting.start;
}

Decision QueuePolicy::decide(const View& view) {
  Decision decision;
  room_.advance(view.now);
  for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
  starting_.clear();
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    if (view.state.queue().size() == starting_.size()) break;
    if (room_.pool(pool).free() > 0) serve(pool, view, decision);
  }
  return decision;
}

void QueuePolicy::on(const JobSubmitted& e, const View& view) {
  const Job& job = view.state.job(e.job).job;
  if (view.state.job(e.job).phase == Phase::held) held_.insert(e.job);
  history_.add_arrival(job);
}

void QueuePolicy::on(const JobReady& e, const View& /*view*/) {
  held_.erase(e.job);
}

void QueuePolicy::on(const JobFinished& e, const View& view) {
  const JobState& job = view.state.job(e.job);
  room_.leave(pools_.at(e.job.index), job.where, view.now);
  pools_.erase(e.job.index);
  const Duration run = job.held + (view.now - job.started);
  history_.add_end(seconds(run) / std::max(seconds(job.job.requested), 1e-3));
  player_->on_ended({.job = e.job,
                     .slowdown = slowdown_after(view.now - job.job.submitted - run, run),
                     .run = run});
}

void QueuePolicy::on(const JobInterrupted& e, const View& view) {
  room_.leave(pools_.at(e.job.index), view.state.job(e.job).where, view.now);
  pools_.erase(e.job.index);
}

void QueuePolicy::on(const JobStarted& e, const View& view) {
  const std::uint32_t pool = room_.pool_of(e.where);
  room_.hold({pool, e.where}, view.now);
  pools_.insert(e.job.index, pool);
}

void QueuePolicy::on(const Refused& e, const View& view) {
  const auto* start = std::get_if<Start>(&e.action);
  if (start == nullptr) return;
  room_.leave(pools_.at(start->job.index), start->where, view.now);
  pools_.erase(start->job.index);
}

void QueuePolicy::on(const NodeFailed& e, const View& /*view*/) {
  room_.node_down(e.node);
}

void QueuePolicy::on(const NodeRepaired& e, const View& /*view*/) {
  room_.node_up(e.node);
}

void QueuePolicy::serve(std::uint32_t pool, const View& view, Decision& decision) {
  const std::vector<JobId> held(held_.begin(), held_.end());
  const SnapshotInputs inputs{held, history_};
  const Snapshot present = take_present(view, room_.pool(pool), inputs, rules_);
  if (present.tasks.size() == 0) return;
  QueueWorld world(room_.pool(pool).total(), options_);
  world.reset(present.tasks, {.now = view.now, .running = present.running});
  futures_.clear();
  const PlayedBy played =
      player_->play(world, [&] { return make_futures(pool, view, inputs); }, pool);
  if (!played.reason.empty())
    decision.reason += (decision.reason.empty() ? "" : "; ") + played.reason;
  const std::size_t before = decision.actions.size();
  for (std::uint32_t i = 0; i < present.tasks.size(); ++i)
    if (world.has_started(i) && world.run_of(i).start == view.now)
      start(present.tasks[i], world.run_of(i).gpus, pool, view, decision);
  if (view.explain) explain(played, before, view, decision);
}

/// Who chose those that were started from action `first` on.
void QueuePolicy::explain(const PlayedBy& played, std::size_t first, const View& view,
                          Decision& decision) {
  for (std::size_t i = first; i < decision.actions.size(); ++i) {
    const auto& start = std::get<Start>(decision.actions[i]);
    std::string text = fmt::format("{} chosen by the {} {}", gpus_label(gpu_count(start.where)),
                                   played.is_network ? "network" : "strategy", played.by);
    const std::uint32_t asked = view.state.job(start.job).job.gpus;
    if (gpu_count(start.where) != asked) text += fmt::format(", {} asked", asked);
    if (!played.reason.empty()) text += "; " + played.reason;
    decision.because.push_back({start.job, std::move(text)});
  }
}

std::span<const QueueWorld> QueuePolicy::make_futures(std::uint32_t pool, const View& view,
                                                      const SnapshotInputs& inputs) {
  if (!futures_.empty()) return futures_;
  snapshots_.clear();
  SnapshotRules rules = rules_;
  for (std::uint32_t i = 0; i < std::max(1u, rules_.futures); ++i, ++rules.seed)
    snapshots_.push_back(take_snapshot(view, room_.pool(pool), inputs, rules));
  for (const Snapshot& snapshot : snapshots_)
    futures_.emplace_back(room_.pool(pool).total(), options_)
        .reset(snapshot.tasks, {.now = view.now, .running = snapshot.running});
  return futures_;
}

void QueuePolicy::start(const Task& task, std::uint32_t gpus, std::uint32_t pool, const View& view,
                        Decision& decision) {
  if (view.state.job(task.id).phase != Phase::queued || starting_.contains(task.id)) return;
  auto where = room_.pool(pool).place(gpus);
  if (!where) return;  // enough GPUs are free, but scattered
  room_.hold({pool, *where}, view.now + task.requested);
  pools_.insert(task.id.index, pool);
  starting_.insert(task.id);
  decision.actions.emplace_back(Start{.job = task.id, .where = *std::move(where), .knobs = {}});
}

}  // namespace penstock
