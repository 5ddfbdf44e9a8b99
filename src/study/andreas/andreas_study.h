#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

namespace penstock {

/// A workload of the study.
struct AndreasPlan {
  std::string cluster{};  ///< "server" or "cloud"
  std::uint32_t nodes = 0;
  std::string arrivals{};
  std::uint64_t seed = 0;
  double weights = 1;  ///< of tardiness, in the published ones
};

/// All workloads of the study in their order. Larger clusters have more jobs to average over and
/// get fewer seeds; with ten nodes tardiness also weighs ten and a hundred times as much. `quick`
/// is ten nodes, the published weights and two seeds only.
std::vector<AndreasPlan> andreas_plans(bool quick);

/// One workload under every method; where weights are not the published ones, under `pr` alone
/// beside the first principles.
struct AndreasCase : AndreasPlan {
  std::vector<MethodRun> runs{};  ///< the three first principles, then ours

  const RunSummary& run(std::string_view method) const { return run_of(runs, method); }
  bool has(std::string_view method) const { return find_run(runs, method) != nullptr; }
};

Result<AndreasCase> run_andreas_case(const AndreasPlan& plan, const StudyRequest& request);

/// Every workload of the study.
Result<std::vector<AndreasCase>> run_andreas_cases(const StudyRequest& request);

/// Tables for people: savings by method, by workload, and what costs are made of.
std::string andreas_text(const std::vector<AndreasCase>& cases);
/// A row for each run.
std::string andreas_csv(const std::vector<AndreasCase>& cases);
/// Cost of a job against nodes, a panel for each kind of arrivals.
std::string andreas_svg(const std::vector<AndreasCase>& cases, const std::string& cluster);

/// The whole study: energy cost plus tardiness against first-principle methods.
Result<StudyResult> run_andreas_study(const StudyRequest& request);

}  // namespace penstock
