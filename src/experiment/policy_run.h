#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "engine/observer.h"
#include "experiment/experiment.h"
#include "experiment/run_details.h"
#include "experiment/run_files.h"
#include "report/measures/run_summary.h"

namespace penstock {

/// What one policy did in one variant.
struct PolicyRun {
  RunSummary summary{};
  RunDetails details{};  ///< what was asked for
};

/// One policy in one variant.
struct PolicyRunRequest {
  const Variant& variant;
  PolicyChoice policy{};
  std::optional<std::filesystem::path> dir{};  ///< where its files go, if anywhere
  RunFileOptions files{};
  DetailOptions details{};
  bool by_hour = false;  ///< sites also say how much of their work was done at which hour
  std::atomic<std::uint64_t>* jobs_ended = nullptr;  ///< counted up for a progress bar
  std::stop_token stop{};                            ///< ends the run early, with an error
  Observer* observer = nullptr;  ///< is told of each job that ends, if there is one
};

/// Simulates one policy from the first job to the last.
Result<PolicyRun> run_policy(const PolicyRunRequest& request);

}  // namespace penstock
