#pragma once

#include <string_view>
#include <vector>

#include "study/andreas/andreas_cases.h"
#include "study/study.h"

namespace penstock {

/// One workload under the methods that its plan asks for.
struct AndreasCase : AndreasPlan {
  std::vector<MethodRun> runs{};  ///< the three first principles, then the others

  const RunSummary& run(std::string_view method) const { return run_of(runs, method); }
  bool has(std::string_view method) const { return find_run(runs, method) != nullptr; }
};

Result<AndreasCase> run_andreas_case(const AndreasPlan& plan, const StudyRequest& request);

/// Every workload that the request asks for.
Result<std::vector<AndreasCase>> run_andreas_cases(const StudyRequest& request);

/// The whole study: energy cost plus tardiness against first principles, packed and with a node for
/// each job, the list rule and the authors' program.
Result<StudyResult> run_andreas_study(const StudyRequest& request);

}  // namespace penstock
