#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "learn/mars/machine.h"
#include "learn/queue/task_sequence.h"
#include "model/trace.h"

namespace penstock {

/// What a task's slowdown counts.
enum class Weighing : std::uint8_t {
  by_cost,  ///< what it costs to run, as task_cost() has it
  alike,    ///< all the same
};

/// The jobs that can run on the machine, as tasks in order of submission; children of one that
/// cannot do not wait for it. Parents are indices among the tasks.
std::vector<Task> tasks_on(const Machine& machine, std::span<const TracedJob> jobs,
                           Weighing weighing = Weighing::by_cost);

struct EpisodeOptions {
  std::uint32_t tasks = 256;  ///< in each; at least 1
  std::uint32_t count = 256;  ///< how many episodes
};

/// So many tasks from `first` on as a sequence of its own: nobody waits for who is not in it.
Result<TaskSequence> cut_episode(std::span<const Task> tasks, std::size_t first, std::size_t count,
                                 std::uint32_t machine_gpus);

/// Episodes of consecutive tasks that begin anywhere. It is an error if the tasks do not make one.
Result<std::vector<TaskSequence>> draw_episodes(std::span<const Task> tasks,
                                                const EpisodeOptions& options,
                                                std::uint32_t machine_gpus, Rng rng);

}  // namespace penstock
