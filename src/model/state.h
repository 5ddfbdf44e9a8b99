#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/paged_table.h"
#include "model/cluster.h"
#include "model/costs.h"
#include "model/event.h"
#include "model/job.h"
#include "model/placement.h"
#include "model/profile.h"

namespace penstock {

enum class Phase : std::uint8_t {
  held,    ///< waits for its parents
  queued,  ///< could start
  moving,  ///< its files are on their way to another site
  running,
  ended,  ///< finished in the batch being decided on; gone afterwards
};

/// One job, from submission until it has ended.
struct JobState {
  Job job{};
  Phase phase = Phase::queued;
  Placement where{};    ///< while running, and when just ended
  SiteId at = kNoSite;  ///< where its files are, or go; if nowhere it may start at any site
  Time first_start{};   ///< meaningful once `starts` > 0
  Time started{};       ///< of the present or last run
  Time work_begins{};   ///< `started` plus waking of nodes and restoring a checkpoint; later if
                        ///< its clock or batch was changed since
  Speed speed{};        ///< at which it gets on from `work_begins`, as the backend reports it
  Work done{};          ///< until `work_begins`; negative if it began later than believed
  Work saved{};         ///< done in earlier runs: what a checkpoint holds for sure
  Duration held{};      ///< wall time it held GPUs in earlier runs
  std::uint32_t clock_mhz = 0;  ///< while running; 0 where clocks are not modelled
  double batch = 0;             ///< while running, over all GPUs; 0 for a rigid job
  Time configured{};            ///< when GPUs, clock or batch were last changed
  Duration gpu_time{};          ///< GPUs times the time it held them, until `configured`
  double clock_time = 0;        ///< MHz times milliseconds, until `configured`
  std::uint32_t starts = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t interruptions = 0;
  std::uint32_t resizes = 0;
  std::uint32_t migrations = 0;
  std::uint32_t transfers = 0;

  /// What must be sent were it to go elsewhere.
  double gigabytes() const {
    return static_cast<double>(job.files_gb) +
           (starts > 0 ? static_cast<double>(job.checkpoint_gb) : 0);
  }
  /// Done by `now`, were it stopped then.
  Work done_by(Time now) const;
  /// Still to do at `now`, by the work its user stated; always positive.
  Work left_at(Time now) const;
  /// The asked time still ahead of it when it next starts working.
  Duration remaining_request() const;

  std::uint32_t previous = 0;  ///< neighbours in the queue or among the running
  std::uint32_t next = 0;
};

enum class NodePhase : std::uint8_t { awake, asleep, down };

struct NodeState {
  NodePhase phase = NodePhase::awake;
  std::uint32_t free = 0;  ///< GPUs no job holds, whatever the phase
  Time idle_since{};       ///< meaningful while all GPUs are free
  Time ready_at{};         ///< a node told to wake cannot work before this
};

/// What a node draws when no job is on it. A node with a table of power has no idle GPUs of their
/// own: awake, all of it is the node's.
struct NodeDraw {
  Watts gpus{};
  Watts node{};  ///< all but the GPUs
  Watts total() const { return gpus + node; }
};
NodeDraw idle_draw(const Cluster& cluster, const Node& node, NodePhase phase);

struct SiteState {
  std::uint32_t busy_gpus = 0;
  std::uint32_t running_jobs = 0;
  std::uint32_t sleeping_nodes = 0;
  std::uint32_t down_nodes = 0;
};

class State;

/// Over how many nodes a placement is spread.
std::uint32_t node_count(const Placement& where, const Cluster& cluster);

/// How a running job runs: what its models are asked with.
Config config_of(const JobState& state, const Cluster& cluster);

/// The jobs of one phase in the order in which they entered it.
class JobList {
 public:
  class Iterator {
   public:
    using value_type = JobState;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const PagedTable<JobState>* jobs, std::uint32_t at) : jobs_(jobs), at_(at) {}
    const JobState& operator*() const { return jobs_->at(at_); }
    const JobState* operator->() const { return &jobs_->at(at_); }
    Iterator& operator++() {
      at_ = jobs_->at(at_).next;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const PagedTable<JobState>* jobs_ = nullptr;
    std::uint32_t at_ = kNone;
  };

  explicit JobList(const PagedTable<JobState>& jobs) : jobs_(&jobs) {}
  Iterator begin() const { return {jobs_, first_}; }
  Iterator end() const { return {jobs_, kNone}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  friend class State;
  static constexpr std::uint32_t kNone = ~0u;
  void append(PagedTable<JobState>& jobs, std::uint32_t index);
  void remove(PagedTable<JobState>& jobs, std::uint32_t index);

  const PagedTable<JobState>* jobs_;
  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  std::size_t size_ = 0;
};

/// What the scheduler believes about jobs and nodes. It changes in admit(), apply() and retire()
/// and nowhere else. What is applied must be legal (engine/legal.h).
class State {
 public:
  /// `cluster` must outlive the state.
  State(const Cluster& cluster, Costs costs, Time start);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Cluster& cluster() const { return cluster_; }
  const Costs& costs() const { return costs_; }
  const JobState& job(JobId id) const { return jobs_.at(id.index); }
  const JobState* find(JobId id) const { return jobs_.find(id.index); }
  const JobList& queue() const { return queue_; }      ///< ready jobs, longest in the queue first
  const JobList& running() const { return running_; }  ///< in order of their start
  const NodeState& node(NodeId id) const { return nodes_[id.index]; }
  const SiteState& site(SiteId id) const { return sites_[id.index]; }
  /// GPUs that no job holds, whether their node is up or not.
  const GpuSet& free_gpus() const { return free_; }
  /// The site a placement lies in.
  SiteId site_of(const Placement& where) const { return cluster_.node(where.front().first).site; }

  /// A job that says nothing of its work is rigid: it works for the time it asked for.
  void admit(Job&& job);
  /// Adds a queued job of another state over the same GPU types, with the work it has done. Its
  /// files are here, and its parents do not count. A JobSubmitted event must follow.
  void adopt(const JobState& other);
  void apply(const Event& event, Time now);
  void apply(const Action& action, Time now);
  /// The true state of a job that waits or runs here, from another state over the same GPU types.
  struct Correction {
    const JobState* truth = nullptr;
    Placement where{};  ///< in the numbering of this state; empty if it waits
  };
  /// No job may be named twice.
  void correct(std::span<const Correction> jobs, Time now);
  /// How fast a job works from its `work_begins` on.
  void set_speed(JobId id, Speed speed) { jobs_.at(id.index).speed = speed; }
  /// Forgets a job that has ended.
  void retire(JobId id);

 private:
  void on(const JobSubmitted& e, Time now);
  void on(const JobReady& e, Time now);
  void on(const JobFinished& e, Time now);
  void on(const JobInterrupted& e, Time now);
  void on(const NodeFailed& e, Time now);
  void on(const NodeRepaired& e, Time now);
  void on(const JobArrived& e, Time now);
  void on(const JobWithdrawn& e, Time now);
  void on(const JobStarted& e, Time now);
  void on(const JobMeasured& e, Time now);
  void on(const Refused& e, Time now);
  void on(const Start& a, Time now);
  void on(const Preempt& a, Time now);
  void on(const Resize& a, Time now);
  void on(const Migrate& a, Time now);
  void on(const SetClock& a, Time now);
  void on(const SetBatch& a, Time now);
  void on(const Sleep& a, Time now);
  void on(const Wake& a, Time now);
  void on(const Route& a, Time now);
  void wake(NodeId id, Time now);
  void occupy(JobState& state, const Placement& where, Time now);
  void vacate(JobState& state, Time now);
  void release(JobState& state, Time now);
  void configure(JobState& state, const Knobs& knobs) const;
  void move(JobState& state, const Placement& where, Time now);
  void enqueue(JobState& state);

  const Cluster& cluster_;
  Costs costs_;
  PagedTable<JobState> jobs_;
  JobList queue_;
  JobList running_;
  std::vector<NodeState> nodes_;  ///< indexed by NodeId
  std::vector<SiteState> sites_;  ///< indexed by SiteId
  GpuSet free_;
};

}  // namespace penstock
