#include "learn/mars/episodes.h"

#include <fmt/format.h>

#include "base/check.h"

namespace penstock {
namespace {

bool can_run(const Job& job, const Machine& machine) {
  return job.gpus <= machine.gpus && (job.gpu_types >> machine.type_id.index & 1) != 0;
}

Task task_of(const TracedJob& traced, const Machine& machine) {
  const Job& job = traced.job;
  return {.id = job.id,
          .submitted = job.submitted,
          .gpus = job.gpus,
          .requested = job.requested,
          .actual = traced.actual,
          .cost = task_cost(job, machine.type, machine.rates),
          .deadline = job.deadline};
}

}  // namespace

std::vector<Task> tasks_on(const Machine& machine, std::span<const TracedJob> jobs,
                           Weighing weighing) {
  std::vector<Task> tasks;
  std::vector<std::uint32_t> index(jobs.size(), kNoTask);  // by job
  for (const TracedJob& traced : jobs) {
    if (!can_run(traced.job, machine)) continue;
    PENSTOCK_CHECK(traced.job.id.index < jobs.size());
    index[traced.job.id.index] = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back(task_of(traced, machine));
    if (weighing == Weighing::alike) tasks.back().cost = 1;
    for (const JobId parent : traced.job.parents)
      if (index[parent.index] != kNoTask) tasks.back().parents.push_back(index[parent.index]);
  }
  return tasks;
}

Result<TaskSequence> cut_episode(std::span<const Task> tasks, std::size_t first, std::size_t count,
                                 std::uint32_t machine_gpus) {
  const auto part = tasks.subspan(first, count);
  std::vector<Task> own(part.begin(), part.end());
  for (Task& task : own) {
    std::erase_if(task.parents,
                  [&](std::uint32_t parent) { return parent < first || parent >= first + count; });
    for (std::uint32_t& parent : task.parents) parent -= static_cast<std::uint32_t>(first);
  }
  return TaskSequence::make(std::move(own), machine_gpus);
}

Result<std::vector<TaskSequence>> draw_episodes(std::span<const Task> tasks,
                                                const EpisodeOptions& options,
                                                std::uint32_t machine_gpus, Rng rng) {
  PENSTOCK_CHECK(options.tasks > 0);
  if (tasks.size() < options.tasks)
    return Error{
        fmt::format("an episode has {} tasks, but there are only {} to draw it from; "
                    "possible: a shorter episode or a longer trace",
                    options.tasks, tasks.size())};
  std::vector<TaskSequence> episodes;
  const std::size_t starts = tasks.size() - options.tasks + 1;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    auto made = cut_episode(tasks, rng.below(starts), options.tasks, machine_gpus);
    if (!made) return std::move(made).error();
    episodes.push_back(*std::move(made));
  }
  return episodes;
}

}  // namespace penstock
