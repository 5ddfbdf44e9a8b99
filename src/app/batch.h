#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/combination.h"

namespace penstock {

struct BatchRequest {
  std::filesystem::path scenario{};
  std::optional<std::filesystem::path> journal{};  ///< replayed, instead of the scenario's jobs
  std::vector<std::string> overrides{};
  std::vector<PolicyChoice> policies{};  ///< instead of the scenario's, if any
  unsigned threads = 1;
  bool progress = true;
  bool with_bound = false;  ///< also says how far each run is from the best possible
  bool by_hour = false;     ///< see RunRequest
  RunFileOptions files{};
};

/// The scenario of a request with these overrides. Without a file of its own it is the one that the
/// journal began with last, whose paths count from the journal's folder.
Result<Scenario> read_scenario_of(const BatchRequest& request,
                                  const std::vector<std::string>& overrides);

/// All runs of one command: every combination of a sweep under every policy.
struct LoadedBatch {
  std::vector<std::unique_ptr<Prepared>> prepared{};  ///< one for each combination
  std::vector<std::string> remarks{};
};

/// Reads the scenario and its jobs, for each combination of a sweep, and checks the
/// policies: all problems in one error.
Result<LoadedBatch> load_batch(const BatchRequest& request);

/// Runs everything, several runs at a time. With several runs, each gets its own
/// directory below `dir`. The results are in the order of combinations and policies.
Result<std::vector<RunSummary>> run_batch(const LoadedBatch& batch, const BatchRequest& request,
                                          std::optional<std::filesystem::path> dir);

}  // namespace penstock
