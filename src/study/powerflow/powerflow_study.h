#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "study/study.h"

namespace penstock {

/// A rival, and powerflow with a budget of exactly the energy that the rival used.
struct RivalComparison {
  std::string rival{};  ///< "afs", or "afs zeus" at Zeus's clock
  RunSummary theirs{};
  RunSummary ours{};

  bool all_finished() const { return ours.jobs_finished == ours.jobs_submitted; }
  double jct_ratio() const { return *theirs.jct_mean_s / *ours.jct_mean_s; }
  double p95_ratio() const { return *theirs.jct_p95_s / *ours.jct_p95_s; }
  double energy_ratio() const { return *ours.energy_kwh / *theirs.energy_kwh; }
};

/// One trace at one load.
struct PowerflowCase {
  std::string trace{};
  double load = 0;
  std::vector<RivalComparison> rivals{};
  std::vector<RunSummary> front{};  ///< powerflow at several prices of energy
};

/// Runs every rival on one trace, and powerflow once against each and along its Pareto front.
/// `loads` are GPU time asked for, as a part of what there is while jobs come.
Result<std::vector<PowerflowCase>> run_powerflow_trace(const std::filesystem::path& scenario,
                                                       const std::vector<double>& loads,
                                                       const StudyRequest& request);

/// Every trace of data/studies/powerflow at every load.
Result<std::vector<PowerflowCase>> run_powerflow_cases(const StudyRequest& request);

/// The tables for people: by rival over all cases, and by case.
std::string powerflow_text(const std::vector<PowerflowCase>& cases);
/// A row for each comparison, and one for each point of a front.
std::string powerflow_csv(const std::vector<PowerflowCase>& cases);
/// Energy against mean completion time, a panel for each case of one trace.
std::string powerflow_svg(const std::vector<PowerflowCase>& cases, const std::string& trace);

/// The whole study: completion time at equal energy against every rival.
Result<StudyResult> run_powerflow_study(const StudyRequest& request);

}  // namespace penstock
