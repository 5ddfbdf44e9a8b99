#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/policy_choice.h"
#include "app/run_one.h"

namespace penstock {

struct BatchRequest {
  std::filesystem::path scenario{};
  std::optional<std::filesystem::path> journal{};  ///< replayed, instead of the scenario's jobs
  std::vector<std::string> overrides{};
  std::vector<PolicyChoice> policies{};  ///< instead of the scenario's, if any
  std::vector<SweepAxis> vary{};         ///< beside [sweep], or instead of its axis of that key
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

/// What a sweep changes for one run: "policy.backfill=easy", ...
using Combination = std::vector<std::string>;

/// Every combination of the scenario's sweep and `vary`, the last key varying fastest; one empty
/// one without a sweep. Reads and checks the scenario without them, and the policies by themselves.
Result<std::vector<Combination>> combinations_of(const BatchRequest& request);

/// Reads the scenario as one combination has it and checks its policies. The jobs are not read yet.
Result<std::unique_ptr<Prepared>> prepare(const BatchRequest& request, const Combination& swept);

/// The policies to run. Those of the command line take options that they do not set
/// themselves from --set and from a sweep, as those of a scenario do.
std::vector<PolicyChoice> choices(const Prepared& prepared, const BatchRequest& request);

}  // namespace penstock
