#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "base/paged_table.h"
#include "policies/order/job_queue.h"
#include "policies/order/order.h"
#include "policies/order/room.h"
#include "policy/policy.h"
#include "policy/policy_table.h"

namespace penstock {

struct ListOptions {
  /// How many blocked jobs are promised a start before later ones may pass them:
  /// 0 none, 1 EASY, K, or kUnlimited for conservative backfill.
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
  /// What the policy notes about a job while it waits or runs.
  struct Note {
    QueueItem item{};
    std::uint32_t gpus = 0;
    std::uint32_t pool = 0;  ///< of its promise, or where it runs
    bool waits = true;       ///< not running
    bool pinned = false;     ///< never to be stopped
    Time started{};          ///< while running
    Time believed_end{};     ///< while running
    int level = 0;           ///< of service, under `las`
    Time level_up{};         ///< when it reaches the next one if it runs on
  };
  /// Something that comes to a running job unless it stops before.
  struct Alarm {
    Time when{};
    JobId job{};
    bool operator<(const Alarm& other) const {  // priority_queue keeps the largest on top
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
  void on(const Refused& /*e*/, const View& /*view*/) {}  // see take_back
  void take_in(const View& view);
  /// What was refused of the last decision is as if it had never been decided.
  void take_back(const View& view);
  Note& add_note(JobId job, const View& view);
  void enqueue(JobId job, const View& view);
  void dequeue(JobId job);
  /// A job runs `where` that is not noted.
  void adopt(JobId job, const Placement& where, const View& view);
  void forget_run(JobId job, const Placement& where);

  // What is believed of running jobs.
  bool preempts() const { return order_.preemption != Preemption::none; }
  bool expects_ends() const { return options_.depth > 0 || preempts(); }
  void believe_longer(const View& view);
  void raise_levels(const View& view);
  void await_level_up(Note& note, const JobState& job);
  Victims::Rank rank_of(const Note& note) const;
  bool may_stop(const Note& note) const { return preempts() && !note.pinned; }
  void expect_end(Note& note, Time end);

  // Who starts.
  bool anyone_waits() const { return !queue_.empty() || !aside_.empty() || !stuck_.empty(); }
  bool plan_is_stale() const;
  bool set_aside(Note& note);
  void serve_in_order(const View& view, Decision& decision);
  void keep_promises(const View& view, Decision& decision);
  void preempt_for_front(const View& view, Decision& decision);
  void start_stuck(const View& view, Decision& decision);
  void start_due(const View& view, Decision& decision);
  void pass_blocked_and_drain(const Note* fragmented, const View& view, Decision& decision);
  void pass_blocked(const View& view, Decision& decision);
  /// Whether the waking of nodes may make a job outstay the room there is: a job
  /// whose promised moment has come does not wait for that.
  enum class Waking : std::uint8_t { counts, ignored };
  bool start_if_fits(Note& note, const View& view, Decision& decision,
                     Waking waking = Waking::counts);
  /// Where in a pool a job can start now without delaying any promise.
  std::optional<Placement> place_within_plan(const Note& note, std::uint32_t pool, const View& view,
                                             Waking waking) const;
  Time ready_time(const Placement& where, const View& view) const;
  bool start_if_placeable(Note& note, const View& view, Decision& decision);
  void start(Note& note, const Room::Spot& spot, const View& view, Decision& decision);
  void put_back();

  // Promised starts.
  void make_promise(Note& note);
  void break_promise(Note& note);
  void promise_fresh();

  // Making room.
  bool start_by_preempting(Note& note, const View& view, Decision& decision);
  /// Whom to stop so that a job can be placed where; nowhere if even that does not help.
  struct Eviction {
    std::vector<JobId> victims{};
    Placement where{};
  };
  Eviction evict_for(const Note& note, std::uint32_t pool, const View& view);
  std::vector<JobId> stop_until_placeable(const Note& note, std::uint32_t pool, const View& view);
  static std::vector<JobId> spare_who_may_stay(const Note& note, Pool& trial, const View& view,
                                               std::vector<JobId>& stopped);
  std::int64_t spared_rank(const Note& note) const;

  // Saying why, if the view asks for it.
  /// It is first, or the first behind those that are set aside.
  void say_first(const Note& note, const View& view, Decision& decision) const;
  void say_passing(const Note& note, const View& view, Decision& decision) const;
  /// `promised` is the start that it had been promised.
  void say_early(const Note& note, Time promised, const View& view, Decision& decision) const;
  void say_due(const Note& note, const View& view, Decision& decision) const;
  void say_evicting(const Note& note, const std::vector<JobId>& victims, const View& view,
                    Decision& decision) const;
  void say_waits(const View& view, Decision& decision);
  std::string why_first(const Note& note, const View& view) const;
  std::string why_stopped(const Note& victim, const Note& by) const;
  std::string why_waiting(const Note& note) const;

  const Order& order_;
  ListOptions options_;
  Costs costs_;
  Time start_;
  Time now_{};
  JobQueue queue_;
  Room room_;
  Victims victims_;
  PagedTable<Note> notes_;
  std::vector<JobId> fresh_;      ///< in the queue and not yet promised a start
  std::vector<JobId> aside_;      ///< blocked jobs in order, out of the queue, with their promises
  bool plan_changed_ = false;     ///< something may let one of those start sooner
  std::vector<JobId> preempted_;  ///< in the last decision; back in the queue at the next
  bool explains_ = false;         ///< in this decision
  std::vector<JobId> promised_;   ///< a new start, in this decision, if it explains
  std::vector<bool> shut_;        ///< indexed by shelf: found unplaceable in this decision
  std::priority_queue<Alarm> ends_;
  std::priority_queue<Alarm> level_ups_;
  /// Jobs whose promised moment came while enough GPUs were free but scattered; out
  /// of the queue, first to be served.
  std::vector<JobId> stuck_;
  struct Drain {
    JobId job{};
    std::uint32_t pool = 0;
    std::vector<NodeId> nodes{};
  };
  std::optional<Drain> drain_;  ///< what is kept clear for the first job that is stuck
};

}  // namespace penstock
