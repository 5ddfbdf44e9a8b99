#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "experiment/policy_run.h"
#include "experiment/progress.h"
#include "report/files/summary_json.h"

namespace penstock {

/// How an experiment is run. No option changes the results.
struct RunOptions {
  unsigned threads = 1;     ///< runs at the same time
  bool with_bound = false;  ///< also says how far each run is from the best possible
  bool by_hour = false;     ///< sites also say how much of their work was done at which hour
  DetailOptions details{};  ///< what is kept of each run beside its summary
  std::optional<std::filesystem::path> dir{};  ///< where files of the runs go, if anywhere
  RunFileOptions files{};
  ProgressCallback progress{};  ///< is told how many jobs have ended
  std::stop_token stop{};       ///< ends all runs early, with an error
};

/// Every run of an experiment, in the order of variants and policies.
struct Comparison {
  std::vector<PolicyRun> runs{};

  std::vector<RunSummary> summaries() const;  ///< of all runs, in their order
};

/// Runs every policy in every variant, several runs at a time. With several runs, each gets its own
/// directory below `options.dir`.
Result<Comparison> run_experiment(const Experiment& experiment, const RunOptions& options = {});

/// What summary.json says of the scenario that its runs are of.
SummaryHead summary_head(const Scenario& scenario);

/// The run that utilities are relative to: with the site policy of `first`, the first policy of a
/// combination, and all jobs at their homes.
Result<RunSummary> run_at_home(const Variant& variant, const PolicyChoice& first,
                               const std::stop_token& stop = {});

}  // namespace penstock
