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

/// fifo, sjf, smallest, wfp3, unicep, f1 to f4 as the list policies have them; `worth`: the most
/// cost per requested GPU-second first; `critical-path`: the longest way to the last end first;
/// `unlock`: the highest pressure, that of the tasks it lets start included.
std::span<const TaskOrder> all_task_orders();
/// Null if there is none of this name.
const TaskOrder* find_task_order(std::string_view name);

/// The place of every task in an order that does not age: `places[task]`, 0 goes first. `origin`
/// is when the run began, for orders that ask how late a task was submitted.
void rank_tasks(const TaskOrder& order, const TaskSequence& tasks, Time origin,
                std::vector<std::uint32_t>& places);

}  // namespace penstock
