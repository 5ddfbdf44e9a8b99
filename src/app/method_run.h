#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/measures/run_summary.h"

namespace penstock {

/// One method of a study on one workload.
struct MethodRun {
  std::string method{};  ///< "fifo", "pr", "rg published"
  RunSummary run{};
};

/// Null if it has not run.
const RunSummary* find_run(const std::vector<MethodRun>& runs, std::string_view method);
/// The same of one that has.
const RunSummary& run_of(const std::vector<MethodRun>& runs, std::string_view method);

}  // namespace penstock
