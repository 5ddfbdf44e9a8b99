#include "learn/queue/strategy.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace penstock {
namespace {

constexpr Duration kShortestRun = std::chrono::seconds(10);

/// The names of orders with "+easy", for as long as the program runs.
const std::vector<std::string>& easy_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const TaskOrder& order : all_task_orders())
      names.push_back(std::string(order.name) + "+easy");
    return names;
  }();
  return kNames;
}

constexpr std::array<std::pair<std::string_view, KeepFree>, 9> kKeeps{{
    {"sjf+easy+5%<15min", {0.05, std::chrono::minutes(15)}},
    {"sjf+easy+10%<15min", {0.1, std::chrono::minutes(15)}},
    {"sjf+easy+20%<15min", {0.2, std::chrono::minutes(15)}},
    {"sjf+easy+5%<1h", {0.05, std::chrono::hours(1)}},
    {"sjf+easy+10%<1h", {0.1, std::chrono::hours(1)}},
    {"sjf+easy+20%<1h", {0.2, std::chrono::hours(1)}},
    {"sjf+easy+5%<4h", {0.05, std::chrono::hours(4)}},
    {"sjf+easy+10%<4h", {0.1, std::chrono::hours(4)}},
    {"sjf+easy+20%<4h", {0.2, std::chrono::hours(4)}},
}};

Time waits_from(const QueueWorld& world, std::uint32_t task, Since since) {
  return since == Since::ready ? world.run_of(task).ready : world.tasks().brief(task).submitted;
}

}  // namespace

std::span<const Strategy> all_strategies() {
  static const std::vector<Strategy> kAll = [] {
    std::vector<Strategy> all;
    for (std::size_t i = 0; i < all_task_orders().size(); ++i) {
      const TaskOrder& order = all_task_orders()[i];
      all.push_back({order.name, &order, Backfill::none});
      all.push_back({easy_names()[i], &order, Backfill::easy});
    }
    for (const auto& [name, keep] : kKeeps)
      all.push_back({name, find_task_order("sjf"), Backfill::easy, keep});
    return all;
  }();
  return kAll;
}

const Strategy* find_strategy(std::string_view name) {
  const auto found = std::ranges::find(all_strategies(), name, &Strategy::name);
  return found == all_strategies().end() ? nullptr : &*found;
}

double slowdown_after(Duration wait, Duration run) {
  return std::max(1.0, seconds(wait + run) / seconds(std::max(run, kShortestRun)));
}

double slowdown_of(const QueueWorld& world, std::uint32_t task, Since since) {
  const TaskRun& task_run = world.run_of(task);
  return slowdown_after(task_run.start - waits_from(world, task, since),
                        task_run.end - task_run.start);
}

Measures measure(const QueueWorld& world, Since since) {
  Measures sums;
  Time last = Time::min();
  Time first = Time::max();
  for (std::uint32_t i = 0; i < world.tasks().size(); ++i) {
    if (!world.has_started(i)) continue;
    const Task& task = world.tasks()[i];
    const TaskRun& task_run = world.run_of(i);
    const double slowdown = slowdown_of(world, i, since);
    ++sums.tasks;
    sums.slowdown_sum += slowdown;
    sums.cost_slowdown_sum += task.cost * slowdown;
    sums.wait_sum += task_run.start - waits_from(world, i, since);
    sums.late += task.deadline && task_run.end > *task.deadline ? 1 : 0;
    first = std::min(first, task.submitted);
    last = std::max(last, task_run.end);
  }
  if (sums.tasks > 0) sums.makespan = last - first;
  return sums;
}

double objective_of(const Measures& measures, Reward reward) {
  if (reward == Reward::wait) return seconds(measures.wait_sum);
  return reward == Reward::slowdown ? measures.slowdown_sum : measures.cost_slowdown_sum;
}

double objective_of(const Task& task, Duration wait, Duration run, Reward reward) {
  if (reward == Reward::wait) return seconds(wait);
  return slowdown_after(wait, run) * (reward == Reward::cost ? task.cost : 1);
}

void follow(QueueWorld& world, const Strategy& strategy) {
  world.rank_by(*strategy.order);
  world.backfill_by(strategy.backfill);
  world.keep(strategy.keep);
}

Measures run_to_end(QueueWorld& world, const Strategy& strategy) {
  follow(world, strategy);
  while (world.needs_choice()) world.choose(world.first());
  return measure(world);
}

}  // namespace penstock
