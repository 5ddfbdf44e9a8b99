#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep_run.h"

namespace penstock {

/// As given on the command line.
struct SweepOptions {
  std::string scenario{};
  std::vector<std::string> policies{};
  std::vector<std::string> overrides{};
  std::vector<std::string> vary{};
  std::vector<std::string> pareto{};
  std::string out{};
  unsigned jobs = 1;
  bool json = false;
  bool no_progress = false;
  bool no_report = false;

  std::vector<std::string> train{};          ///< policies to train instead of simulating
  std::vector<std::string> train_options{};  ///< words for `penstock train`

  bool slurm = false;
  bool no_wait = false;
  std::size_t per_task = 0;
  std::size_t cpus = 1;
  std::size_t array_limit = 0;
  std::string partition{};
  std::string time{};
  std::vector<std::string> sbatch{};

  std::string points{};  ///< of a task: only these, and nothing is put together
  std::string of{};      ///< the key that the plan must have
};

/// What points are, how they are run, and what is made of them.
struct SweepKind {
  SweepPlan plan{};
  std::function<RunPoint(const SweepFolder&, const std::vector<std::size_t>&)> runner{};
  std::function<Result<Done>(const SweepFolder&)> merge{};
};

/// Carries out a sweep of any kind: here, on Slurm, or one task of it.
Result<Done> carry_out(const SweepKind& kind, const SweepOptions& options);

}  // namespace penstock
