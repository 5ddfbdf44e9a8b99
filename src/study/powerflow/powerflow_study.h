#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/powerflow/powerflow_cases.h"
#include "study/study.h"

namespace penstock {

/// powerflow against one rival, with a part of the energy that the rival used as its budget.
struct PowerflowRun {
  std::string rival{};
  std::string variant{};  ///< "as asked", "free", or the part of powerflow that is left out
  double part = 1;
  RunSummary run{};
  /// No run with this energy has a smaller mean completion time, whatever it knows in advance.
  std::optional<double> bound_s{};
};

/// One trace at one load on one cluster.
struct PowerflowCase {
  PowerflowCaseSpec spec{};
  std::vector<MethodRun> rivals{};
  std::vector<PowerflowRun> ours{};
  std::vector<RunSummary> front{};  ///< powerflow at several prices of energy, batches as asked
};

/// A run of powerflow and the rival's that gave it its budget.
struct PowerflowDuel {
  const RunSummary* theirs = nullptr;
  const PowerflowRun* ours = nullptr;

  /// How many times as quick powerflow is on average: 0, a loss, if it leaves jobs that the rival
  /// does not leave.
  double times_better() const;
  double p95_better() const;
  double p99_better() const;
  double energy_ratio() const;  ///< to the rival's energy
  /// Of its budget.
  double budget_use() const { return energy_ratio() / ours->part; }
  bool leaves_more() const;
};

/// Every duel of a variant against a rival with a part of its energy, over these cases, which must
/// outlive them.
std::vector<PowerflowDuel> duels_of(const std::vector<PowerflowCase>& cases, std::string_view rival,
                                    std::string_view variant, double part);

/// Runs every rival, and powerflow against each. `folder` holds the clusters.
Result<PowerflowCase> run_powerflow_case(const PowerflowCaseSpec& spec,
                                         const std::filesystem::path& folder, unsigned threads);

/// The cases of data/studies/powerflow/cases.toml that the request asks for.
Result<std::vector<PowerflowCase>> run_powerflow_cases(const StudyRequest& request);

/// The whole study: completion time at equal energy against every rival.
Result<StudyResult> run_powerflow_study(const StudyRequest& request);

}  // namespace penstock
