#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace penstock {

/// No task.
inline constexpr std::uint32_t kNoTask = std::numeric_limits<std::uint32_t>::max();

/// One task of a sequence: what is believed of it, what is true, and what it is worth. A task
/// with `least_gpus` and `most_gpus` other than `gpus` is malleable: it may be started on any
/// number between, and keeps it.
struct Task {
  JobId id{};  ///< the caller's name for it; the world speaks of indices in the sequence
  Time submitted{};
  std::uint32_t gpus = 1;
  Duration requested{};  ///< on `gpus`, as believed; at least a millisecond is taken
  Duration actual{};     ///< on `gpus`, in truth; the same as `requested` in a what-if
  std::vector<std::uint32_t> parents{};  ///< indices in the sequence; ready when all have ended
  double cost = 1;                       ///< the weight of its slowdown in rewards and measures
  std::uint32_t least_gpus = 0;          ///< 0: `gpus`
  std::uint32_t most_gpus = 0;           ///< 0: `gpus`
  /// The share of its time that more GPUs do not shorten (Amdahl). 0: twice the GPUs, half the
  /// time.
  double serial = 0;
  std::optional<Time> deadline{};
};

/// How long a task takes on `gpus` if it takes `asked` on the number it asks for; rounded up.
Duration time_on(const Task& task, Duration asked, std::uint32_t gpus);

/// What is known of a task from the precedence of all.
struct TaskRank {
  Duration upward{};  ///< requested times along the longest way from its start to the last end
  std::uint32_t fan_out = 0;  ///< tasks that wait for it directly
  std::uint32_t depth = 0;    ///< tasks before it on the longest way to it
  /// What each second of waiting costs in bounded slowdowns, over requested GPU-seconds: of the
  /// task and of those it lets start, as far as they make the ratio larger.
  double pressure = 0;
};

/// Tasks in order of submission, whose parents exist and form no cycle, each of which fits the
/// machine. Never changes, so that many worlds may share one.
class TaskSequence {
 public:
  /// The facts about a task that a queue reads most often, stored together.
  struct Brief {
    Time submitted{};
    Duration requested{};
    double length = 0;  ///< requested seconds as the ageing orders divide by them
    std::uint32_t gpus = 0;
    std::uint32_t least = 0;
    std::uint32_t size = 0;  ///< which of the different numbers of GPUs it asks for, from 0
  };

  TaskSequence() = default;
  /// The first thing wrong is the error, by the task's id: submitted before its forerunner, GPUs
  /// that the machine does not have, a parent that does not exist, a cycle.
  static Result<TaskSequence> make(std::vector<Task> tasks, std::uint32_t machine_gpus);

  std::uint32_t size() const { return static_cast<std::uint32_t>(tasks_.size()); }
  const Task& operator[](std::uint32_t task) const { return tasks_[task]; }
  std::span<const Task> all() const { return tasks_; }
  const Brief& brief(std::uint32_t task) const { return briefs_[task]; }
  const TaskRank& rank(std::uint32_t task) const { return ranks_[task]; }
  /// Who waits for it directly.
  std::span<const std::uint32_t> children(std::uint32_t task) const;
  bool has_parents() const { return !children_.empty(); }
  /// How many different numbers of GPUs are asked for.
  std::uint32_t sizes() const { return sizes_; }
  /// The machine it was checked against.
  std::uint32_t machine_gpus() const { return machine_gpus_; }

 private:
  void note_sizes();
  void note_children();
  /// Parents before children; shorter than the sequence if there is a cycle.
  std::vector<std::uint32_t> sorted() const;
  Result<Done> rank_all();
  void find_pressures(std::span<const std::uint32_t> parents_first);

  std::uint32_t machine_gpus_ = 0;
  std::uint32_t sizes_ = 0;
  std::vector<Task> tasks_;
  std::vector<Brief> briefs_;
  std::vector<TaskRank> ranks_;
  std::vector<std::uint32_t> first_child_;  ///< of task i in `children_`; one more than tasks
  std::vector<std::uint32_t> children_;     ///< empty if nobody has parents
};

}  // namespace penstock
