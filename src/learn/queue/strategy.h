#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "learn/queue/queue_world.h"

namespace penstock {

/// An order with its backfill rule: what `penstock simulate` calls a list policy.
struct Strategy {
  std::string_view name;  ///< the order's, with "+easy" if others may pass
  const TaskOrder* order = nullptr;
  Backfill backfill = Backfill::none;
  KeepFree keep{};
};

/// Every order of all_task_orders(), each without and with EASY; and shortest first with EASY and a
/// part of the machine kept for short tasks, such as "sjf+easy+10%<1h".
std::span<const Strategy> all_strategies();
/// Null if there is none of this name.
const Strategy* find_strategy(std::string_view name);

/// max(1, (wait + run) / max(run, 10 s)).
double slowdown_after(Duration wait, Duration run);

/// From when waiting counts.
enum class Since : std::uint8_t {
  submission,  ///< as in reports of runs
  ready,       ///< the time in which parents run does not count
};

/// What a world did with the tasks that it started.
struct Measures {
  std::uint32_t tasks = 0;
  double slowdown_sum = 0;       ///< of bounded slowdowns
  double cost_slowdown_sum = 0;  ///< of cost x bounded slowdown
  Duration wait_sum{};
  Duration makespan{};     ///< first submission to last end
  std::uint32_t late = 0;  ///< past their deadline
};

/// The bounded slowdown of a task that has been started: its end is known from then on.
double slowdown_of(const QueueWorld& world, std::uint32_t task, Since since = Since::submission);

/// Counts the tasks started by now, by their true ends.
Measures measure(const QueueWorld& world, Since since = Since::submission);

/// The measure of a candidate's predicted future; less is better.
enum class Reward : std::uint8_t {
  cost,      ///< sum of cost x bounded slowdown
  slowdown,  ///< sum of bounded slowdowns
  wait,      ///< sum of waits
};

/// The sum of those measures that the reward is about.
double objective_of(const Measures& measures, Reward reward);

/// What a task adds to that sum when it starts at an instant and runs for so long.
double objective_of(const Task& task, Duration wait, Duration run, Reward reward);

/// Makes the world follow a strategy from now on: its order, backfill and kept GPUs.
void follow(QueueWorld& world, const Strategy& strategy);

/// Follows a strategy from where the world stands to its end.
Measures run_to_end(QueueWorld& world, const Strategy& strategy);

/// Plays a world to its end; `choose(world)` names a ready task each time.
template <class Choose>
Measures run_to_end(QueueWorld& world, Choose&& choose) {
  while (world.needs_choice()) world.choose(choose(world));
  return measure(world);
}

}  // namespace penstock
