#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "base/paged_table.h"
#include "policies/order/eviction.h"
#include "policies/order/job_queue.h"
#include "policies/order/list_reasons.h"
#include "policies/order/order.h"
#include "policies/order/room.h"
#include "policy/policy.h"
#include "policy/policy_table.h"

namespace penstock {

struct ListOptions {
  /// How many blocked jobs get a reserved start (a promise) before later jobs may pass them: 0
  /// none, 1 EASY, K, or kUnlimited for conservative backfill.
  std::uint32_t depth = 0;
  PlaceRule place = PlaceRule::first_fit;
  Duration quantum = std::chrono::hours(1);  ///< of `las`, GPU-time
};

/// Serves the queue in an order. A job that does not fit blocks those behind it,
/// except that later jobs may pass if they delay none of the promised starts. Room
/// is planned on requested times.
class ListPolicy final : public Policy {
 public:
  static constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

  ListPolicy(const PolicySetting& setting, const Order& order, const ListOptions& options);
  Decision decide(const View& view) override;

 private:
  using Entry = ListEntry;
  /// A time at which something happens to a running job, unless it stops before.
  struct Timer {
    Time when{};
    JobId job{};
    bool operator<(const Timer& other) const {  // priority_queue keeps the largest on top
      return std::pair(when, job) > std::pair(other.when, other.job);
    }
  };

  // What happened.
  void on(const JobSubmitted& e, const View& view);
  void on(const JobReady& e, const View& view);
  void on(const JobFinished& e, const View& view);
  void on(const JobInterrupted& e, const View& view);
  void on(const NodeFailed& e, const View& view);
  void on(const NodeRepaired& e, const View& view);
  void on(const JobArrived& e, const View& view);
  void on(const JobWithdrawn& e, const View& view);
  void on(const JobStarted& e, const View& view);
  void on(const JobMeasured& e, const View& view);
  void on(const Refused& /*e*/, const View& /*view*/) {}  // see undo_refused
  void apply_events(const View& view);
  /// What was refused of the last decision is as if it had never been decided.
  void undo_refused(const View& view);
  Entry& add_entry(JobId job, const View& view);
  void enqueue(JobId job, const View& view);
  void dequeue(JobId job);
  /// A job runs `where` that was started by somebody else.
  void adopt(JobId job, const Placement& where, const View& view);
  void remove_run(JobId job, const Placement& where);

  // What is believed of running jobs.
  bool preempts() const { return order_.preemption != Preemption::none; }
  bool expects_ends() const { return options_.depth > 0 || preempts(); }
  void extend_believed_ends(const View& view);
  void raise_levels(const View& view);
  void schedule_level_up(Entry& entry, const JobState& job);
  Victims::Rank rank_of(const Entry& entry) const;
  bool may_stop(const Entry& entry) const { return preempts() && !entry.pinned; }
  void set_believed_end(Entry& entry, Time end);

  // Who starts.
  bool anyone_waits() const { return !queue_.empty() || !blocked_.empty() || !fragmented_.empty(); }
  bool plan_is_stale() const;
  bool move_to_blocked(Entry& entry);
  void serve_in_order(const View& view, Decision& decision);
  void keep_promises(const View& view, Decision& decision);
  void preempt_for_front(const View& view, Decision& decision);
  void start_fragmented(const View& view, Decision& decision);
  void start_due(const View& view, Decision& decision);
  void pass_blocked_and_drain(const Entry* fragmented, const View& view, Decision& decision);
  void pass_blocked(const View& view, Decision& decision);
  /// Whether the time that nodes need to wake counts against the room in the plan. For a job whose
  /// reserved start has come it does not.
  enum class Waking : std::uint8_t { counts, ignored };
  bool start_if_fits(Entry& entry, const View& view, Decision& decision,
                     Waking waking = Waking::counts);
  /// Where in a pool a job can start now without delaying any promise.
  std::optional<Placement> place_within_plan(const Entry& entry, std::uint32_t pool,
                                             const View& view, Waking waking) const;
  Time ready_time(const Placement& where, const View& view) const;
  bool start_if_placeable(Entry& entry, const View& view, Decision& decision);
  void start(Entry& entry, const Room::Spot& spot, const View& view, Decision& decision);
  void requeue_blocked();

  // Promised starts.
  void make_promise(Entry& entry);
  void break_promise(Entry& entry);
  void promise_fresh();

  // Making room.
  bool start_by_preempting(Entry& entry, const View& view, Decision& decision);
  Eviction evict_for(const Entry& entry, std::uint32_t pool, const View& view);
  std::int64_t spared_rank(const Entry& entry) const;

  // Explaining, if the view asks for it.
  ListReasons reasons() const { return {order_, now_}; }
  /// It is first in the queue, or the first behind the blocked jobs.
  void explain_first(const Entry& entry, const View& view, Decision& decision) const;
  void explain_passing(const Entry& entry, const View& view, Decision& decision) const;
  void explain_due(const Entry& entry, const View& view, Decision& decision) const;
  void explain_eviction(const Entry& entry, const std::vector<JobId>& victims, const View& view,
                        Decision& decision) const;
  /// Explains the first job that waits, the blocked ones and those with a new promise.
  void explain_waiting(const View& view, Decision& decision);

  const Order& order_;
  ListOptions options_;
  Costs costs_;
  Time start_;
  Time now_{};
  JobQueue queue_;
  Room room_;
  Victims victims_;
  PagedTable<Entry> entries_;
  std::vector<JobId> fresh_;      ///< in the queue and not yet promised a start
  std::vector<JobId> blocked_;    ///< blocked jobs in order, out of the queue, with their promises
  bool plan_changed_ = false;     ///< one of the blocked jobs may be able to start sooner
  std::vector<JobId> preempted_;  ///< in the last decision; back in the queue at the next
  bool explains_ = false;         ///< in this decision
  std::vector<JobId> promised_;   ///< a new start, in this decision, if it explains
  std::vector<bool>
      unplaceable_;  ///< indexed by bucket: no job of this bucket could be placed in this decision
  std::priority_queue<Timer> ends_;
  std::priority_queue<Timer> level_ups_;
  /// Jobs whose reserved start has come while enough GPUs are free, but on too many nodes; out of
  /// the queue, served first.
  std::vector<JobId> fragmented_;
  struct Drain {
    JobId job{};
    std::uint32_t pool = 0;
    std::vector<NodeId> nodes{};
  };
  std::optional<Drain> drain_;  ///< the nodes that are kept free for the first fragmented job
};

}  // namespace penstock
