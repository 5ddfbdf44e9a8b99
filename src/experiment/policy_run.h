#pragma once

#include <atomic>
#include <filesystem>
#include <optional>

#include "engine/observer.h"
#include "experiment/experiment.h"
#include "experiment/run_files.h"
#include "report/measures/run_summary.h"

namespace penstock {

/// One policy in one variant.
struct PolicyRunRequest {
  const Variant& variant;
  PolicyChoice policy{};
  std::optional<std::filesystem::path> dir{};  ///< where its files go, if anywhere
  RunFileOptions files{};
  bool by_hour = false;  ///< sites also say how much of their work was done at which hour
  std::atomic<std::uint64_t>* jobs_ended = nullptr;  ///< counted up for a progress bar
  Observer* watcher = nullptr;  ///< is told of each job that ends, if there is one
};

/// Simulates one policy from the first job to the last.
Result<RunSummary> run_policy(const PolicyRunRequest& request);

}  // namespace penstock
