#include "learn/queue/task_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

constexpr Duration kLongest = std::chrono::years(100);  // sums of a few of them do not overflow

Error wrong(const Task& task, const std::string& what) {
  return Error{fmt::format("task {}: {}", task.id.index, what)};
}

Result<Done> check_size(const Task& task, std::uint32_t machine_gpus) {
  if (task.gpus == 0) return wrong(task, "gpus: 0; at least 1 is needed");
  if (task.gpus > machine_gpus)
    return wrong(
        task, fmt::format("gpus: {} are asked for; the machine has {}", task.gpus, machine_gpus));
  if (task.least_gpus > task.gpus || task.most_gpus < task.gpus)
    return wrong(task, fmt::format("gpus: {} is not between the least, {}, and the most, {}",
                                   task.gpus, task.least_gpus, task.most_gpus));
  if (!(task.serial >= 0 && task.serial <= 1))
    return wrong(task, fmt::format("serial: {} is not between 0 and 1", task.serial));
  if (task.actual < Duration::zero()) return wrong(task, "actual: negative");
  if (std::max(task.requested, task.actual) > kLongest)
    return wrong(task, "requested or actual: longer than a century");
  if (!std::isfinite(task.cost)) return wrong(task, "cost: not finite");
  return Done{};
}

Result<Done> check_parents(std::span<const Task> tasks) {
  for (const Task& task : tasks)
    for (const std::uint32_t parent : task.parents)
      if (parent >= tasks.size())
        return wrong(task, fmt::format("parents: there is no task at {}; the sequence has {}",
                                       parent, tasks.size()));
  return Done{};
}

/// Tasks taken together: how much a second of waiting costs them, and their GPU-time.
struct Bundle {
  double weight = 0;
  double work = 0;
  double ratio() const { return weight / work; }
};

Bundle alone(const TaskSequence::Brief& brief) {
  constexpr double kShortest = 10;
  return {1 / std::max(brief.length, kShortest), brief.length * static_cast<double>(brief.gpus)};
}

void fill_in(Task& task) {
  if (task.least_gpus == 0) task.least_gpus = task.gpus;
  if (task.most_gpus == 0) task.most_gpus = task.gpus;
  task.requested = std::max(task.requested, Duration(1));
}

}  // namespace

Duration time_on(const Task& task, Duration asked, std::uint32_t gpus) {
  if (gpus == task.gpus) return asked;
  const double share =
      task.serial + (1 - task.serial) * static_cast<double>(task.gpus) / static_cast<double>(gpus);
  return Duration(static_cast<std::int64_t>(std::ceil(static_cast<double>(asked.count()) * share)));
}

Result<TaskSequence> TaskSequence::make(std::vector<Task> tasks, std::uint32_t machine_gpus) {
  TaskSequence made;
  made.machine_gpus_ = machine_gpus;
  made.briefs_.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Task& task = tasks[i];
    fill_in(task);
    if (auto checked = check_size(task, machine_gpus); !checked) return std::move(checked).error();
    if (i > 0 && task.submitted < tasks[i - 1].submitted)
      return wrong(task, "submitted: before the task ahead of it in the sequence");
    made.briefs_.push_back({.submitted = task.submitted,
                            .requested = task.requested,
                            .length = std::max(seconds(task.requested), 1e-3),
                            .gpus = task.gpus,
                            .least = task.least_gpus});
  }
  if (auto checked = check_parents(tasks); !checked) return std::move(checked).error();
  made.tasks_ = std::move(tasks);
  made.note_sizes();
  made.note_children();
  if (auto ranked = made.rank_all(); !ranked) return std::move(ranked).error();
  return made;
}

void TaskSequence::note_sizes() {
  std::vector<std::uint32_t> all;
  all.reserve(briefs_.size());
  for (const Brief& brief : briefs_) all.push_back(brief.gpus);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  for (Brief& brief : briefs_)
    brief.size =
        static_cast<std::uint32_t>(std::ranges::lower_bound(all, brief.gpus) - all.begin());
  sizes_ = static_cast<std::uint32_t>(all.size());
}

void TaskSequence::note_children() {
  first_child_.assign(tasks_.size() + 1, 0);
  for (const Task& task : tasks_)
    for (const std::uint32_t parent : task.parents) ++first_child_[parent + 1];
  for (std::size_t i = 1; i < first_child_.size(); ++i) first_child_[i] += first_child_[i - 1];
  children_.resize(first_child_.back());
  std::vector<std::uint32_t> at(first_child_.begin(), first_child_.end() - 1);
  for (std::uint32_t i = 0; i < size(); ++i)
    for (const std::uint32_t parent : tasks_[i].parents) children_[at[parent]++] = i;
}

std::span<const std::uint32_t> TaskSequence::children(std::uint32_t task) const {
  return std::span(children_).subspan(first_child_[task],
                                      first_child_[task + 1] - first_child_[task]);
}

std::vector<std::uint32_t> TaskSequence::sorted() const {
  std::vector<std::size_t> left;
  std::vector<std::uint32_t> order;
  order.reserve(tasks_.size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    left.push_back(tasks_[i].parents.size());
    if (left.back() == 0) order.push_back(i);
  }
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const std::uint32_t child : children(order[at]))
      if (--left[child] == 0) order.push_back(child);
  return order;
}

/// Horn's rule for trees: a task takes along the best of what follows it while that makes both
/// more pressing. Where several parents are waited for, each takes its part.
void TaskSequence::find_pressures(std::span<const std::uint32_t> parents_first) {
  std::vector<Bundle> bundles(tasks_.size());
  std::vector<std::uint32_t> next;
  for (std::size_t at = parents_first.size(); at-- > 0;) {
    const std::uint32_t task = parents_first[at];
    Bundle& bundle = bundles[task];
    bundle = alone(briefs_[task]);
    const auto found = children(task);
    next.assign(found.begin(), found.end());
    std::ranges::sort(next, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(-bundles[a].ratio(), a) < std::pair(-bundles[b].ratio(), b);
    });
    for (const std::uint32_t child : next) {
      if (bundles[child].ratio() <= bundle.ratio()) break;
      const auto sharers = static_cast<double>(tasks_[child].parents.size());
      bundle.weight += bundles[child].weight / sharers;
      bundle.work += bundles[child].work / sharers;
    }
    ranks_[task].pressure = bundle.ratio();
  }
}

Result<Done> TaskSequence::rank_all() {
  ranks_.resize(tasks_.size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    ranks_[i].upward = tasks_[i].requested;
    ranks_[i].pressure = alone(briefs_[i]).ratio();
  }
  if (children_.empty()) return Done{};
  const std::vector<std::uint32_t> order = sorted();
  for (const std::uint32_t task : order)
    for (const std::uint32_t child : children(task))
      ranks_[child].depth = std::max(ranks_[child].depth, ranks_[task].depth + 1);
  for (std::size_t at = order.size(); at-- > 0;) {
    TaskRank& rank = ranks_[order[at]];
    Duration longest{};
    for (const std::uint32_t child : children(order[at]))
      longest = std::max(longest, ranks_[child].upward);
    rank.upward += longest;
    rank.fan_out = static_cast<std::uint32_t>(children(order[at]).size());
  }
  find_pressures(order);
  if (order.size() == tasks_.size()) return Done{};
  std::vector<bool> reached(tasks_.size());
  for (const std::uint32_t task : order) reached[task] = true;
  const auto stuck = std::ranges::find(reached, false) - reached.begin();
  return wrong(tasks_[static_cast<std::size_t>(stuck)],
               "parents: it waits, through its parents, for a cycle");
}

}  // namespace penstock
