#pragma once

#include "learn/mars/contest.h"
#include "learn/net/windows.h"
#include "learn/queue/task_order.h"

namespace penstock {

/// Chooses as an order would, in a world that is ranked by nothing.
class Teacher {
 public:
  explicit Teacher(const TaskOrder& order) : order_(&order) {}

  /// To be called before the first choice in a sequence, which must outlive the choices.
  void begin(const TaskSequence& tasks, Time origin);
  /// The ready task that goes first. There must be one.
  std::uint32_t choose(const QueueWorld& world) const;

 private:
  const TaskOrder* order_;
  const TaskSequence* tasks_ = nullptr;
  std::vector<std::uint32_t> places_;  ///< of an order that does not age
};

/// What a network would have seen when there was something to choose, and what the teacher chose.
struct Lessons {
  Windows windows;
  std::vector<std::uint32_t> choices{};
};

/// Watches an order play. Choices that a network could not make, because it does not see the task,
/// are left out.
Lessons watch(const TaskOrder& order, std::span<const Contest> contests, const PlayRules& rules);

}  // namespace penstock
