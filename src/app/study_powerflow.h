#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/measures/run_summary.h"

namespace penstock {

struct StudyRequest {
  std::filesystem::path folder{};   ///< of scenarios, one for each trace
  std::vector<double> loads{};      ///< GPU time asked for, as a part of what there is
  std::vector<std::string> only{};  ///< names of scenarios; all if empty
  unsigned threads = 1;
  bool progress = true;
};

/// A rival, and powerflow with a budget of exactly the energy that the rival used.
struct Duel {
  std::string rival{};  ///< "afs", or "afs zeus" at Zeus's clock
  RunSummary theirs{};
  RunSummary ours{};

  bool all_finished() const { return ours.jobs_finished == ours.jobs_submitted; }
  double jct_ratio() const { return *theirs.jct_mean_s / *ours.jct_mean_s; }
  double p95_ratio() const { return *theirs.jct_p95_s / *ours.jct_p95_s; }
  double energy_ratio() const { return *ours.energy_kwh / *theirs.energy_kwh; }
};

/// One trace at one load.
struct StudyCase {
  std::string trace{};
  double load = 0;
  std::vector<Duel> duels{};
  std::vector<RunSummary> front{};  ///< powerflow at several prices of energy
};

/// Runs every rival, and powerflow once against each and along its Pareto front.
Result<std::vector<StudyCase>> study_powerflow(const StudyRequest& request);

/// The tables for people: by rival over all cases, and by case.
std::string study_text(const std::vector<StudyCase>& cases);
/// A row for each duel, and one for each point of a front.
std::string study_csv(const std::vector<StudyCase>& cases);
/// Energy against mean completion time, a panel for each case of one trace.
std::string study_svg(const std::vector<StudyCase>& cases, const std::string& trace);

}  // namespace penstock
