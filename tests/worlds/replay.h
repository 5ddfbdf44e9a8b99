#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worlds/pacing.h"
#include "worlds/run_log.h"
#include "worlds/run_segment.h"
#include "worlds/world.h"

namespace penstock {

/// Goes through a run log with its own idea of what may happen. Knows no scheduler
/// and shares no bookkeeping with the product; everything odd becomes a sentence.
class Replay {
 public:
  Replay(const World& world, const RunLog& log) : world_(world) {
    held_.resize(world.cluster.gpu_count());
    ready_.resize(world.cluster.nodes.size(), world.start());
    nodes_.resize(world.cluster.nodes.size(), {NodeSpan{.from = world.start()}});
    jobs_.resize(world.jobs.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].at = world.jobs[i].job.home;
    end_ = world.start();
    for (const Turn& turn : log.turns) take(turn);
    check_all_ended();
  }

  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<RunSegment>& stays() const { return stays_; }
  /// Indexed by NodeId, each without gaps from the start of the run.
  const std::vector<std::vector<NodeSpan>>& nodes() const { return nodes_; }
  Time end() const { return end_; }
  /// At which something was told or decided, in order.
  const std::vector<Time>& instants() const { return instants_; }

  std::vector<RunSegment> stays_of(JobId job) const {
    std::vector<RunSegment> found = stays_;
    std::erase_if(found, [&](const RunSegment& stay) { return stay.job != job; });
    return found;
  }

 private:
  struct JobTrack {
    bool submitted = false;
    bool ready = false;
    bool ended = false;
    int runs = 0;
    SiteId at = kNoSite;                ///< where its files are, or go
    std::optional<Time> arrives{};      ///< while they are on their way
    std::optional<std::size_t> stay{};  ///< while running
  };

  void take(const Turn& turn) {
    expect(turn.now >= end_, "time runs backwards");
    end_ = now_ = turn.now;
    instants_.push_back(now_);
    for (const Event& event : turn.events) std::visit([&](const auto& e) { on(e); }, event);
    for (const Action& action : turn.actions) std::visit([&](const auto& a) { on(a); }, action);
  }

  void expect(bool holds, const std::string& fault) {
    if (!holds)
      faults_.push_back(std::to_string((now_ - world_.start()).count()) + " ms: " + fault);
  }
  void expect(bool holds, JobId job, const std::string& fault) {
    expect(holds, "job " + std::to_string(job.index) + " " + fault);
  }
  void expect(bool holds, NodeId node, const std::string& fault) {
    expect(holds, "node " + std::to_string(node.index) + " " + fault);
  }

  void on(const JobSubmitted& e) {
    JobTrack& track = jobs_[e.job.index];
    expect(!track.submitted, e.job, "is submitted twice");
    expect(world_.jobs[e.job.index].job.submitted == now_, e.job, "is submitted at a wrong time");
    track.submitted = true;
    track.ready = world_.jobs[e.job.index].job.parents.empty();
  }

  void on(const JobReady& e) {
    JobTrack& track = jobs_[e.job.index];
    expect(track.submitted && !track.ready, e.job, "is told ready out of turn");
    for (const JobId parent : world_.jobs[e.job.index].job.parents)
      expect(jobs_[parent.index].ended, e.job, "is ready before a parent has ended");
    track.ready = true;
  }

  void on(const JobFinished& e) {
    leave(e.job, RunSegment::End::finished);
    expect(!jobs_[e.job.index].ended, e.job, "ends twice");
    jobs_[e.job.index].ended = true;
  }

  void on(const JobInterrupted& e) {
    const RunSegment* last = leave(e.job, RunSegment::End::interrupted);
    if (last == nullptr) return;
    const Time saved = last->last_checkpoint(world_.sim.failures ? world_.sim.failures->checkpoint
                                                                 : world_.sim.outage_checkpoint);
    Work kept{};
    Work left = world_.due(e.job);  // it may be lost in the very millisecond in which it ends
    for (RunSegment& stay : stays_) {
      if (stay.job != e.job) continue;
      const bool earlier = stay.run_begins != last->run_begins;
      if (!earlier) kept += stay.kept = std::min(stay.did_by(saved), left);
      left -= stay.kept;
    }
    expect(same(kept, e.kept, e.job), e.job, "keeps other work than its checkpoint saved");
  }

  /// Rigid jobs work in whole milliseconds: nothing is rounded.
  bool same(Work a, Work b, JobId job) const {
    const double allowed = is_rigid(job) ? 0 : 1e-9 * world_.due(job).value();
    return std::abs((a - b).value()) <= allowed;
  }

  void on(const NodeFailed& e) {
    expect(phase(e.node) != NodePhase::down, e.node, "fails while down");
    expect(is_empty(e.node), e.node, "fails under a job that was not told");
    change(e.node, NodePhase::down);
  }

  void on(const NodeRepaired& e) {
    expect(phase(e.node) == NodePhase::down, e.node, "is repaired though it works");
    change(e.node, NodePhase::awake);
    ready_[e.node.index] = now_;
  }

  void on(const Start& a) {
    JobTrack& track = jobs_[a.job.index];
    expect(track.submitted, a.job, "starts before it is submitted");
    expect(track.ready, a.job, "starts before its parents have ended");
    expect(!track.stay && !track.ended, a.job, "starts though it runs or has ended");
    expect(!track.arrives, a.job, "starts while its files are on their way");
    if (track.at != kNoSite)
      expect(world_.cluster.node(a.where.front().first).site == track.at, a.job,
             "starts where its files are not");
    settle(a.job, a.where, a.knobs);
  }

  void on(const Preempt& a) {
    expect(!world_.jobs[a.job.index].job.pinned, a.job, "is stopped though it is pinned");
    leave(a.job, RunSegment::End::preempted);
  }

  void on(const Resize& a) {
    expect(!is_rigid(a.job), a.job, "is resized though it is rigid");
    if (move_out(a.job, a.where, RunSegment::End::resized)) settle(a.job, a.where, a.knobs);
  }

  void on(const Migrate& a) {
    const auto old = move_out(a.job, a.where, RunSegment::End::migrated);
    if (!old) return;
    expect(gpu_count(a.where) == gpu_count(old->where), a.job, "migrates to fewer or more GPUs");
    settle(a.job, a.where, {old->clock_mhz, old->batch});
  }

  void on(const SetClock& a) {
    drive(a.job, [&](RunSegment& stay) { stay.clock_mhz = a.clock_mhz; });
  }
  void on(const SetBatch& a) {
    drive(a.job, [&](RunSegment& stay) { stay.batch = a.batch; });
  }

  void on(const Sleep& a) {
    expect(phase(a.node) == NodePhase::awake, a.node, "is put to sleep though not awake");
    expect(is_empty(a.node), a.node, "is put to sleep under a job");
    change(a.node, NodePhase::asleep);
  }

  void on(const Wake& a) {
    expect(phase(a.node) == NodePhase::asleep, a.node, "is woken though not asleep");
    rouse(a.node);
  }

  void on(const Route& a) {
    JobTrack& track = jobs_[a.job.index];
    expect(track.ready && !track.stay && !track.ended && !track.arrives, a.job, "cannot be sent");
    const Job& job = world_.jobs[a.job.index].job;
    const double gigabytes = static_cast<double>(job.files_gb) +
                             (track.runs > 0 ? static_cast<double>(job.checkpoint_gb) : 0);
    track.arrives = now_ + world_.cluster.network.delay(track.at, a.to, gigabytes);
    track.at = a.to;
  }

  void on(const JobArrived& e) {
    JobTrack& track = jobs_[e.job.index];
    expect(track.arrives == now_, e.job, "arrives at a wrong time");
    track.arrives.reset();
  }

  void on(const JobStarted& e) { on(Start{e.job, e.where, e.knobs}); }
  /// What it drew changes the past, not what it does.
  void on(const JobMeasured& e) {
    const auto stay = jobs_[e.job.index].stay;
    if (!stay) return;
    go_on(e.job, [](RunSegment&) {});
    if (e.drew) stays_[*stay].draw = *e.drew / gpu_count(stays_[*stay].where);
  }
  void on(const Refused& /*e*/) {}
  void on(const JobWithdrawn& e) { expect(false, e.job, "is withdrawn, which nobody asked for"); }

  bool is_rigid(JobId job) const { return !world_.jobs[job.index].job.kind_id; }

  /// The stay that ends with a move to `where`.
  std::optional<RunSegment> move_out(JobId job, const Placement& where, RunSegment::End end) {
    expect(!world_.jobs[job.index].job.pinned, job, "is moved though it is pinned");
    const RunSegment* old = leave(job, end);
    if (old == nullptr) return std::nullopt;
    const SiteId site = world_.cluster.node(old->where.front().first).site;
    expect(world_.cluster.node(where.front().first).site == site, job, "leaves its site");
    return *old;
  }

  /// A run begins: nodes that sleep are woken, then a checkpoint is read if there is one.
  void settle(JobId job, const Placement& where, const Knobs& knobs) {
    Time begins = now_;
    for (const GpuRange& range : where) begins = std::max(begins, occupy(job, range));
    check_one_pool(job, where);
    JobTrack& track = jobs_[job.index];
    if (track.runs++ > 0) begins += world_.costs.restart;
    const GpuType& type = world_.cluster.type(world_.cluster.node(where.front().first));
    open({.job = job,
          .where = where,
          .clock_mhz = knobs.clock_mhz.value_or(type.max_clock_mhz),
          .batch = knobs.batch.value_or(world_.jobs[job.index].job.batch),
          .from = now_,
          .work_begins = begins,
          .run_begins = begins});
  }

  /// The run goes on at once with another clock or batch.
  template <class Change>
  void drive(JobId job, const Change& change) {
    expect(!is_rigid(job), job, "is driven otherwise though it is rigid");
    go_on(job, change);
  }
  template <class Change>
  void go_on(JobId job, const Change& change) {
    const RunSegment* old = close(job, RunSegment::End::driven);
    if (old == nullptr) return;
    RunSegment next = *old;
    change(next);
    next.from = now_;
    next.work_begins = std::max(old->work_begins, now_);
    next.to = Time::max();
    next.end = RunSegment::End::none;
    open(std::move(next));
  }

  void open(RunSegment stay) {
    const Pacing pacing(world_, stay);
    expect(pacing.fault().empty(), stay.job, pacing.fault());
    stay.speed = pacing.speed();
    stay.draw = pacing.draw();
    jobs_[stay.job.index].stay = stays_.size();
    stays_.push_back(std::move(stay));
  }

  /// When the node of these GPUs can work.
  Time occupy(JobId job, const GpuRange& range) {
    const NodeId node = world_.cluster.node_of[range.first.index];
    expect(range.count > 0, job, "gets an empty range");
    for (std::uint32_t i = range.first.index; i < range.first.index + range.count; ++i) {
      expect(world_.cluster.node_of[i] == node, job, "gets a range across nodes");
      expect(!held_[i], job, "gets GPU " + std::to_string(i) + " which another one holds");
      held_[i] = job;
    }
    expect(phase(node) != NodePhase::down, job, "starts on a node that is down");
    if (phase(node) == NodePhase::asleep) rouse(node);
    return ready_[node.index];
  }

  void check_one_pool(JobId id, const Placement& where) {
    const Node& first = world_.cluster.node(where.front().first);
    const Job& job = world_.jobs[id.index].job;
    expect((job.gpu_types >> first.type.index & 1) != 0, id, "runs on a type it cannot use");
    for (const GpuRange& range : where) {
      const Node& node = world_.cluster.node(range.first);
      expect(node.site == first.site, id, "is spread over sites");
      expect(node.type == first.type, id, "is spread over types");
    }
  }

  /// Ends a stay and frees its GPUs.
  const RunSegment* leave(JobId job, RunSegment::End end) {
    for (std::optional<JobId>& holder : held_)
      if (holder == job) holder.reset();
    return close(job, end);
  }

  const RunSegment* close(JobId job, RunSegment::End end) {
    JobTrack& track = jobs_[job.index];
    expect(track.stay.has_value(), job, "stops or changes though it does not run");
    if (!track.stay) return nullptr;
    RunSegment& stay = stays_[*track.stay];
    stay.to = now_;
    stay.end = end;
    stay.kept = stay.did_by(now_);
    track.stay.reset();
    return &stay;
  }

  NodePhase phase(NodeId node) const { return nodes_[node.index].back().phase; }
  bool is_empty(NodeId id) const {
    const Node& node = world_.cluster.node(id);
    for (std::uint32_t i = 0; i < node.gpus; ++i)
      if (held_[node.first.index + i]) return false;
    return true;
  }
  void change(NodeId node, NodePhase to) {
    nodes_[node.index].back().to = now_;
    nodes_[node.index].push_back({.phase = to, .from = now_});
  }
  void rouse(NodeId node) {
    change(node, NodePhase::awake);
    ready_[node.index] = now_ + world_.costs.wake;
  }

  void check_all_ended() {
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) expect(jobs_[i].ended, JobId{i}, "never ends");
  }

  const World& world_;
  Time now_{};
  Time end_{};
  std::vector<std::optional<JobId>> held_;  ///< indexed by GpuId
  std::vector<Time> ready_;                 ///< indexed by NodeId
  std::vector<std::vector<NodeSpan>> nodes_;
  std::vector<JobTrack> jobs_;  ///< indexed by JobId
  std::vector<RunSegment> stays_;
  std::vector<Time> instants_;
  std::vector<std::string> faults_;
};

}  // namespace penstock
