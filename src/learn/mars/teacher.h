#pragma once

#include "learn/net/cloning.h"
#include "learn/queue/episodes.h"
#include "learn/queue/task_order.h"

namespace penstock {

/// A heuristic to imitate: chooses as an order would, in a world that is ranked by none.
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

/// Plays the episodes by an order and records what a network would have seen, and the choice,
/// wherever there was one. Choices of tasks beyond the network's window are left out.
Demonstrations record_demonstrations(const TaskOrder& order, std::span<const Episode> episodes,
                                     const PlayRules& rules);

}  // namespace penstock
