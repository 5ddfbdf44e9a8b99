#pragma once

#include <functional>

#include "batch/job_array.h"
#include "experiment/progress.h"
#include "experiment/sweep/folder.h"

namespace penstock {

/// Sleeps for a while; returns true as soon as the user interrupts.
using InterruptibleSleep = std::function<bool(Duration)>;
/// Called when a wait begins; the user's interrupts are caught as long as its result lives. Without
/// one nothing ends a wait early.
using WatchForInterrupt = std::function<InterruptibleSleep()>;

/// How a sweep is put on Slurm.
struct SweepArrayRequest {
  ArrayRequest array{};             ///< name, tasks and logs are filled in
  std::size_t points_per_task = 0;  ///< 0: one, or more where there are very many
  /// This program, its command and the other words for a task; where its points are written down
  /// is added behind the command.
  std::vector<std::string> task{};
  bool wait = true;
  bool progress = true;  ///< notes report the progress of the array
  WatchForInterrupt watch{};
};

/// How waiting for an array ended.
enum class ArrayEnd {
  ended,      ///< all that could be run is there
  left,       ///< the user left, and the array goes on
  cancelled,  ///< the array was cancelled
};

/// Submits what is missing as a job array, waits for it, and submits what failed because of the
/// machines up to twice more. An array of this folder that is still in the queue is waited for
/// first. If the user interrupts, the array is left as it is.
Result<ArrayEnd> run_on_slurm(const SweepFolder& folder, const SweepArrayRequest& request,
                              const NoteCallback& note);

/// The tasks of this folder's arrays that are in the queue; the error says that Slurm does not
/// answer.
Result<ArrayTasks> tasks_of(const SweepFolder& folder);

/// The points of a task: a list such as "0-3,7", or "@FILE" for the line of the file that
/// SLURM_ARRAY_TASK_ID numbers.
Result<std::vector<std::size_t>> read_points(std::string_view text, const SweepPlan& plan);

}  // namespace penstock
