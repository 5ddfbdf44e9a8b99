#include "learn/queue/task_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace penstock {
namespace {

double worth(const TaskSequence& tasks, std::uint32_t task) {
  const TaskSequence::Brief& brief = tasks.brief(task);
  return -tasks[task].cost / (brief.length * static_cast<double>(brief.gpus));
}

/// Smith's rule for the sum of waits, each weighed by 1/max(requested, 10 s), on a machine where a
/// task's size is its requested GPU-time.
double smith(const TaskSequence& tasks, std::uint32_t task) {
  constexpr double kShortest = 10;
  const TaskSequence::Brief& brief = tasks.brief(task);
  return brief.length * std::max(brief.length, kShortest) * static_cast<double>(brief.gpus);
}

double area(const TaskSequence& tasks, std::uint32_t task) {
  const TaskSequence::Brief& brief = tasks.brief(task);
  return brief.length * static_cast<double>(brief.gpus);
}

double critical_path(const TaskSequence& tasks, std::uint32_t task) {
  return -static_cast<double>(tasks.rank(task).upward.count());
}

double unlock(const TaskSequence& tasks, std::uint32_t task) {
  return -tasks.rank(task).pressure;
}

TaskOrder like(std::string_view name) {
  const auto found = std::ranges::find(all_orders(), name, &Order::name);
  PENSTOCK_CHECK(found != all_orders().end());
  return {found->name, found->summary, &*found};
}

std::vector<double> score_all(const TaskOrder& order, const TaskSequence& tasks, Time origin) {
  std::vector<double> scores(tasks.size());
  JobState job;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    if (order.shared == nullptr) {
      scores[i] = order.own(tasks, i);
      continue;
    }
    const Task& task = tasks[i];
    job.job.submitted = task.submitted;
    job.job.gpus = task.gpus;
    job.job.requested = task.requested;
    job.job.deadline = task.deadline;
    job.job.work = Work(static_cast<double>(task.requested.count()));
    scores[i] = order.shared->score(job, origin);
  }
  return scores;
}

}  // namespace

std::span<const TaskOrder> all_task_orders() {
  static const auto kAll = std::to_array<TaskOrder>({
      like("fifo"),
      like("sjf"),
      like("smallest"),
      like("wfp3"),
      like("unicep"),
      like("f1"),
      like("f2"),
      like("f3"),
      like("f4"),
      {"worth", "most cost per requested GPU-second first", nullptr, worth},
      {"area", "least requested GPU-time first", nullptr, area},
      {"smith", "least GPUs x requested time squared first", nullptr, smith},
      {"critical-path", "longest requested way to the last end first", nullptr, critical_path},
      {"unlock", "smith for the task and those it lets start", nullptr, unlock},
  });
  return kAll;
}

const TaskOrder* find_task_order(std::string_view name) {
  const auto found = std::ranges::find(all_task_orders(), name, &TaskOrder::name);
  return found == all_task_orders().end() ? nullptr : &*found;
}

void rank_tasks(const TaskOrder& order, const TaskSequence& tasks, Time origin,
                std::vector<std::uint32_t>& places) {
  PENSTOCK_CHECK(!order.ages());
  const std::vector<double> scores = score_all(order, tasks, origin);
  std::vector<std::pair<double, std::uint32_t>> sorted(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i) sorted[i] = {scores[i], i};
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  places.resize(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i) places[sorted[i].second] = i;
}

}  // namespace penstock
