#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "learn/queue/task_sequence.h"
#include "policies/order/order.h"

namespace penstock {

/// The order of waiting tasks: one of the orders of the list policies, or one that only tasks have.
/// Ties go to the task submitted first.
struct TaskOrder {
  std::string_view name;
  std::string_view summary;
  const Order* shared = nullptr;
  /// Smaller goes first; null if `shared` is given.
  double (*own)(const TaskSequence& tasks, std::uint32_t task) = nullptr;

  bool ages() const { return shared != nullptr && shared->score == nullptr; }
};

/// fifo, sjf, smallest, wfp3, unicep and f1 to f4 as the list policies have them; `worth`: most
/// cost per requested GPU-second first; `area`: least requested GPU-time first; `smith`: least GPUs
/// x requested time squared first (Smith's rule, for waits over requested times); `critical-path`:
/// longest requested way to the last end first; `unlock`: `smith` for the task and those it lets
/// start.
std::span<const TaskOrder> all_task_orders();
/// Null if there is none of this name.
const TaskOrder* find_task_order(std::string_view name);

/// The place of every task in an order that does not age: `places[task]`, 0 goes first. `origin`
/// is when the run began, for orders that ask how late a task was submitted.
void rank_tasks(const TaskOrder& order, const TaskSequence& tasks, Time origin,
                std::vector<std::uint32_t>& places);

}  // namespace penstock
