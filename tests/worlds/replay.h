#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {

/// One stay of a job on its GPUs.
struct Stay {
  enum class End { none, finished, preempted, interrupted };
  JobId job{};
  Placement where{};
  Time from{};
  Time work_begins{};
  Time to{Time::max()};
  Duration kept{};  ///< of the work done, what was not lost
  End end = End::none;

  Duration worked() const { return std::max(to - work_begins, Duration::zero()); }
  bool covers(GpuId gpu) const {
    return std::ranges::any_of(where, [&](const GpuRange& range) {
      return range.first.index <= gpu.index && gpu.index < range.first.index + range.count;
    });
  }
};

/// One phase of a node's life.
struct NodeSpan {
  NodePhase phase = NodePhase::awake;
  Time from{};
  Time to{Time::max()};
};

/// Goes through a run log with its own idea of what may happen. Knows no scheduler
/// and shares no bookkeeping with the product; everything odd becomes a sentence.
class Replay {
 public:
  Replay(const World& world, const RunLog& log) : world_(world) {
    held_.resize(world.cluster.gpu_count());
    ready_.resize(world.cluster.nodes.size(), world.start());
    nodes_.resize(world.cluster.nodes.size(), {NodeSpan{.from = world.start()}});
    jobs_.resize(world.jobs.size());
    end_ = world.start();
    for (const Turn& turn : log.turns) take(turn);
    check_all_ended();
  }

  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<Stay>& stays() const { return stays_; }
  /// Indexed by NodeId, each without gaps from the start of the run.
  const std::vector<std::vector<NodeSpan>>& nodes() const { return nodes_; }
  Time end() const { return end_; }

  std::vector<Stay> stays_of(JobId job) const {
    std::vector<Stay> found;
    std::ranges::copy_if(stays_, std::back_inserter(found),
                         [&](const Stay& stay) { return stay.job == job; });
    return found;
  }

 private:
  struct Fate {
    bool submitted = false;
    bool ready = false;
    bool ended = false;
    int starts = 0;
    std::optional<std::size_t> stay{};  ///< while running
  };

  void take(const Turn& turn) {
    expect(turn.now >= end_, "time runs backwards");
    end_ = now_ = turn.now;
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
    Fate& fate = jobs_[e.job.index];
    expect(!fate.submitted, e.job, "is submitted twice");
    expect(world_.jobs[e.job.index].job.submitted == now_, e.job, "is submitted at a wrong time");
    fate.submitted = true;
    fate.ready = world_.jobs[e.job.index].job.parents.empty();
  }

  void on(const JobReady& e) {
    Fate& fate = jobs_[e.job.index];
    expect(fate.submitted && !fate.ready, e.job, "is told ready out of turn");
    for (const JobId parent : world_.jobs[e.job.index].job.parents)
      expect(jobs_[parent.index].ended, e.job, "is ready before a parent has ended");
    fate.ready = true;
  }

  void on(const JobFinished& e) {
    leave(e.job, Stay::End::finished);
    expect(!jobs_[e.job.index].ended, e.job, "ends twice");
    jobs_[e.job.index].ended = true;
  }

  void on(const JobInterrupted& e) {
    if (Stay* stay = leave(e.job, Stay::End::interrupted))
      stay->kept = Duration(static_cast<std::int64_t>(e.kept.value()));
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
    Fate& fate = jobs_[a.job.index];
    const Job& job = world_.jobs[a.job.index].job;
    expect(fate.submitted, a.job, "starts before it is submitted");
    expect(fate.ready, a.job, "starts before its parents have ended");
    expect(!fate.stay && !fate.ended, a.job, "starts though it runs or has ended");
    expect(gpu_count(a.where) == job.gpus, a.job, "does not get the GPUs it asked for");
    Time begins = now_;
    for (const GpuRange& range : a.where) begins = std::max(begins, occupy(a.job, range));
    check_one_pool(a);
    if (fate.starts++ > 0) begins += world_.costs.restart;
    fate.stay = stays_.size();
    stays_.push_back({.job = a.job, .where = a.where, .from = now_, .work_begins = begins});
  }

  void on(const Preempt& a) { leave(a.job, Stay::End::preempted); }

  void on(const Resize& a) { expect(false, a.job, "is resized in a rigid world"); }
  void on(const Migrate& a) { expect(false, a.job, "is moved in a rigid world"); }
  void on(const SetClock& a) { expect(false, a.job, "is clocked in a rigid world"); }
  void on(const SetBatch& a) { expect(false, a.job, "is batched in a rigid world"); }

  void on(const Sleep& a) {
    expect(phase(a.node) == NodePhase::awake, a.node, "is put to sleep though not awake");
    expect(is_empty(a.node), a.node, "is put to sleep under a job");
    change(a.node, NodePhase::asleep);
  }

  void on(const Wake& a) {
    expect(phase(a.node) == NodePhase::asleep, a.node, "is woken though not asleep");
    rouse(a.node);
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

  void check_one_pool(const Start& a) {
    const Node& first = world_.cluster.node(a.where.front().first);
    const Job& job = world_.jobs[a.job.index].job;
    expect((job.gpu_types >> first.type.index & 1) != 0, a.job, "runs on a type it cannot use");
    for (const GpuRange& range : a.where) {
      const Node& node = world_.cluster.node(range.first);
      expect(node.site == first.site, a.job, "is spread over sites");
      expect(node.type == first.type, a.job, "is spread over types");
    }
  }

  Stay* leave(JobId job, Stay::End end) {
    Fate& fate = jobs_[job.index];
    expect(fate.stay.has_value(), job, "stops though it does not run");
    if (!fate.stay) return nullptr;
    Stay& stay = stays_[*fate.stay];
    stay.to = now_;
    stay.end = end;
    stay.kept = stay.worked();
    for (std::optional<JobId>& holder : held_)
      if (holder == job) holder.reset();
    fate.stay.reset();
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
  std::vector<Fate> jobs_;  ///< indexed by JobId
  std::vector<Stay> stays_;
  std::vector<std::string> faults_;
};

}  // namespace penstock
