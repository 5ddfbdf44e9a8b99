#pragma once

#include <atomic>
#include <filesystem>
#include <optional>

#include "app/run_files.h"
#include "app/workload.h"
#include "engine/observer.h"
#include "policy/policy_table.h"
#include "report/run_summary.h"

namespace penstock {

/// A scenario with its jobs, under one set of overrides.
struct Prepared {
  Scenario scenario{};
  Workload workload{};
  Options swept{};           ///< what a sweep changed outside the policy, for the record
  Options policy_options{};  ///< what --set and a sweep say about any policy
};

struct RunRequest {
  const Prepared& prepared;
  PolicyChoice policy{};
  std::optional<std::filesystem::path> dir{};  ///< where its files go, if anywhere
  RunFileOptions files{};
  bool by_hour = false;  ///< sites also say how much of their work was done at which hour
  std::atomic<std::uint64_t>* jobs_ended = nullptr;  ///< counted up for a progress bar
  Observer* watcher = nullptr;  ///< is told of each job that ends, if there is one
};

/// Simulates one policy from the first job to the last.
Result<RunSummary> run_one(const RunRequest& request);

}  // namespace penstock
