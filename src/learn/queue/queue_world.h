#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "learn/queue/task_order.h"
#include "learn/queue/task_sequence.h"
#include "model/costs.h"

namespace penstock {

/// Which tasks may start while the chosen task waits for room.
enum class Backfill : std::uint8_t {
  none,
  easy,  ///< tasks that do not delay the expected start of the chosen task
};

/// For how long a choice holds.
enum class Commit : std::uint8_t {
  until_event,  ///< a task that does not fit is chosen anew at the next event, as list policies do
  until_start,  ///< no other task is chosen before it has started: RLScheduler's problem
};

/// How many GPUs a malleable task gets, unless the chooser says.
enum class Sizing : std::uint8_t {
  asked,   ///< what it asks for, as if it were rigid
  shrink,  ///< what it asks for, or all that is free if that is less and enough
  fill,    ///< as many as are free and it can use
};

/// GPUs that only short tasks may take, so that those who come later need not wait for long ones.
struct KeepFree {
  double part = 0;    ///< of the machine
  Duration longer{};  ///< tasks that ask for more time than this leave so much free when they start
  friend bool operator==(const KeepFree&, const KeepFree&) = default;
};

struct QueueOptions {
  Backfill backfill = Backfill::none;
  KeepFree keep{};
  Commit commit = Commit::until_event;
  Sizing sizing = Sizing::asked;
  OverRequest over_request = OverRequest::kill;
  /// When the run began, for orders that ask how late a task was submitted.
  Time origin{};
};

/// A task that runs when a world begins.
struct RunningTask {
  std::uint32_t gpus = 0;
  Time started{};
  Time believed_end{};        ///< in the past: it is late, and taken to need as long again
  std::optional<Time> end{};  ///< in truth; as believed if not given
  std::uint32_t task =
      kNoTask;  ///< its index if it belongs to the sequence: others may wait for it
};

/// The state in which a world begins. Tasks submitted by then wait, unless they run.
struct InitialState {
  std::optional<Time> now{};  ///< the first submission if not given
  std::span<const RunningTask> running{};
};

/// When a task was ready, started and ended, and on how many GPUs.
struct TaskRun {
  Time ready{Time::max()};  ///< submitted, and all parents ended
  Time start{Time::max()};
  Time end{Time::max()};  ///< in truth, known to the world from the start on
  Time believed_end{Time::max()};
  std::uint32_t gpus = 0;
};

/// One queue and one machine of interchangeable GPUs, as a game: the world runs until it needs a
/// choice, `choose` names any ready task, and so on until all have ended. With an order's first
/// task chosen each time it starts every task in the very millisecond in which the list policy of
/// that order would (tests/learn/queue/engine_equivalence_test.cpp).
///
/// A copy is a snapshot: all is values but the sequence, which must outlive every copy. Copying
/// into a world that has held as many tasks, and `reset`, allocate nothing.
class QueueWorld {
 public:
  QueueWorld(std::uint32_t gpus, const QueueOptions& options) : gpus_(gpus), options_(options) {
    keep(options.keep);
  }

  /// Begins anew. `tasks` must have been checked against a machine no larger than this one, and
  /// what runs must fit it.
  void reset(const TaskSequence& tasks, const InitialState& moment = {});

  /// All tasks of the sequence have ended.
  bool done() const { return unfinished_ == 0; }
  /// Some task is ready and nobody is being waited for. Where a choice holds until the next event
  /// only, it is asked for only if someone fits: otherwise it would change nothing.
  bool needs_choice() const { return needs_choice_; }
  /// The chosen task starts now if it fits. Otherwise it is waited for. Then runs on until the next
  /// choice or the end. `gpus` other than 0 overrules the sizing and lies within the task's bounds.
  void choose(std::uint32_t task, std::uint32_t gpus = 0);
  /// Since the last choice (or reset), in order.
  std::span<const std::uint32_t> started() const { return started_; }
  std::span<const std::uint32_t> ended() const { return ended_; }

  /// The order of `ready()`, of `first()` and of backfilling from now on; at the beginning, and
  /// after a reset, first come, first served. The order must outlive its use.
  void rank_by(const TaskOrder& order);
  void backfill_by(Backfill backfill) { options_.backfill = backfill; }
  void keep(const KeepFree& keep);

  /// Tasks that could start: first come first, or in the order ranked by if that does not age.
  std::span<const std::uint32_t> ready() const { return ready_; }
  /// The ready task that goes first in the order ranked by, ageing or not. There must be one.
  std::uint32_t first();
  bool fits(std::uint32_t task) const { return least_of(task) + kept_from(task) <= free_; }

  Time now() const { return now_; }
  std::uint32_t gpus() const { return gpus_; }
  std::uint32_t free_gpus() const { return free_; }
  const QueueOptions& options() const { return options_; }
  const TaskSequence& tasks() const { return *tasks_; }
  const TaskRun& run_of(std::uint32_t task) const { return runs_[task]; }
  /// Whether the task was started here, not before the world began.
  bool has_started(std::uint32_t task) const { return phases_[task] == Phase::started; }
  /// How long it runs in truth on as many GPUs as it asks for.
  Duration needs(std::uint32_t task) const {
    const Task& what = (*tasks_)[task];
    const bool kills = options_.over_request == OverRequest::kill;
    return kills ? std::min(what.actual, what.requested) : what.actual;
  }

  /// A task that holds GPUs.
  struct Holder {
    Time believed_end{};
    std::uint32_t slot = 0;  ///< the task, or one beyond the last task if of no sequence
    std::uint32_t gpus = 0;
  };
  /// Who runs, the latest believed end first.
  std::span<const Holder> running() const { return running_; }

  /// When so many GPUs are believed to be free at once, and how many more there are then.
  struct Opening {
    Time when{};
    std::uint32_t extra = 0;
  };
  Opening opening_for(std::uint32_t gpus) const;

 private:
  enum class Phase : std::uint8_t { ahead, held, ready, started, ran_before };
  struct End {
    Time when{};
    std::uint32_t slot = 0;
    bool operator<(const End& other) const {  // heaps keep the largest on top
      return when != other.when ? when > other.when : slot > other.slot;
    }
  };

  // Time.
  void adopt_running(const InitialState& moment);
  void advance();
  bool next_event();
  void finish(std::uint32_t slot);
  void submit(std::uint32_t task);
  void enqueue(std::uint32_t task);
  void extend_overdue();
  void hold(std::uint32_t slot, std::uint32_t gpus);
  bool can_choose();

  // Room.
  std::uint32_t least_of(std::uint32_t task) const;
  /// GPUs that must stay free when the task starts.
  std::uint32_t kept_from(std::uint32_t task) const {
    const TaskSequence::Brief& brief = tasks_->brief(task);
    return brief.requested > options_.keep.longer ? std::min(kept_, gpus_ - brief.gpus) : 0;
  }
  /// How many of `room` GPUs the task would take; 0 if they are too few.
  std::uint32_t size_within(std::uint32_t task, std::uint32_t room) const;
  std::uint32_t least_ready();
  bool start_if_fits(std::uint32_t task, std::uint32_t wanted);
  void start(std::uint32_t task, std::uint32_t gpus);
  void serve_reserved();
  void backfill();
  void gather_backfillable(const Opening& opening);
  std::uint32_t backfill_size(std::uint32_t task, Opening& opening) const;

  // Order.
  bool ages() const { return order_ != nullptr && order_->ages(); }
  std::uint32_t place_of(std::uint32_t task) const {
    return order_ == nullptr || order_->ages() ? task : places_[task];
  }
  double waited(std::uint32_t task) const;  ///< how often its own length
  std::uint32_t first_aged();
  void sort_backfillable_by_age();

  std::uint32_t gpus_;
  QueueOptions options_;
  const TaskSequence* tasks_ = nullptr;
  const TaskOrder* order_ = nullptr;  ///< null: first come, first served

  Time now_{};
  std::uint32_t kept_ = 0;  ///< GPUs, from options_.keep
  std::uint32_t free_ = 0;
  std::uint32_t next_ = 0;  ///< the next task to be submitted
  std::uint32_t unfinished_ = 0;
  bool needs_choice_ = false;
  std::uint32_t reserved_ = kNoTask;  ///< the chosen task that did not fit
  std::uint32_t reserved_gpus_ = 0;   ///< as choose() was told; 0: by the sizing
  std::uint32_t least_ready_ = 0;     ///< no ready task needs fewer GPUs
  bool least_is_known_ = true;        ///< and one needs just so many

  std::vector<TaskRun> runs_;  ///< indexed by slot
  std::vector<Phase> phases_;  ///< indexed by task
  std::vector<std::uint32_t> parents_left_;
  std::vector<std::uint32_t> places_;  ///< in an order that does not age
  std::vector<std::uint32_t> ready_;
  std::vector<Holder> running_;
  std::vector<End> ends_;  ///< a heap
  std::vector<std::uint32_t> started_;
  std::vector<std::uint32_t> ended_;
  std::vector<std::uint32_t> backfillable_;  ///< scratch of backfill(), as the next
  std::vector<std::pair<double, std::uint32_t>> scored_;
  std::vector<double> most_waited_;  ///< scratch of first(), indexed by size
};

}  // namespace penstock
