#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/combination.h"

namespace penstock {

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
