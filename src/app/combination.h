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
  std::vector<std::string> overrides{};
  std::vector<PolicyChoice> policies{};  ///< instead of the scenario's, if any
  std::vector<SweepAxis> vary{};         ///< beside [sweep], or instead of its axis of that key
  unsigned threads = 1;
  bool progress = true;
  bool with_bound = false;  ///< also says how far each run is from the best possible
  bool by_hour = false;     ///< see RunRequest
  RunFileOptions files{};
};

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
