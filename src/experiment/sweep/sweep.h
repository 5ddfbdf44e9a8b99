#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiment/sweep/points.h"
#include "experiment/sweep/slurm_array.h"

namespace penstock {

/// How a sweep is put on Slurm.
struct SweepSlurmOptions {
  bool wait = true;          ///< until the array has ended
  bool progress = true;      ///< notes report the progress of the array
  std::size_t per_task = 0;  ///< points of a task; 0: one, or more where there are very many
  std::size_t cpus = 1;      ///< of a task, and its points at a time
  std::size_t array_limit = 0;
  std::string partition{};
  std::string time{};
  std::vector<std::string> sbatch{};
  WatchForInterrupt watch{};  ///< lets the user stop waiting for the array
};

/// A sweep as its user asks for it.
struct SweepRequest {
  std::string scenario{};
  std::vector<std::string> policies{};
  std::vector<std::string> overrides{};
  std::vector<std::string> vary{};
  std::vector<std::string> train{};          ///< policies to train instead of simulating
  std::vector<std::string> train_options{};  ///< words for `penstock train`
  std::string out{};                         ///< folder of the results
  unsigned threads = 1;                      ///< points at the same time
  std::optional<SweepSlurmOptions> slurm{};  ///< as a job array, instead of here
  std::string points{};                      ///< of a task: only these, and nothing is put together
  std::string of{};                          ///< of a task: the key that the plan must have
};

/// The points of a sweep, and how they are run.
struct PlannedSweep {
  SweepPlan plan{};
  std::function<RunPoint(const SweepFolder&, const std::vector<std::size_t>&)> runner{};
};

/// Runs the points that are missing: here, on Slurm, or those of one task. Returns the folder whose
/// points can be put together; nothing for a task, or if the user stopped waiting for the array.
/// `sweep` must outlive the folder.
Result<std::optional<SweepFolder>> run_sweep(const PlannedSweep& sweep, const SweepRequest& request,
                                             const SweepHooks& hooks);

/// An error that tells why points of the plan that are not in the folder failed, if any did.
Result<Done> check_failures(const SweepFolder& folder);

}  // namespace penstock
