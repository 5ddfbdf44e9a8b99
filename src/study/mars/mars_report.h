#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/mars/mars_study.h"

namespace penstock {

/// The windows of one workload, to be compared.
class MarsScores {
 public:
  /// Those of `windows` that are of the workload; `windows` must outlive the scores.
  MarsScores(const std::vector<MarsWindow>& windows, std::string workload);

  const std::string& workload() const { return workload_; }
  std::size_t size() const { return test_.size(); }  ///< of test windows
  bool has(const std::string& method) const;

  /// On each test window; empty if the method has not run or has no such value.
  std::vector<double> values(const std::string& method, RunField field) const;
  /// The heuristic with the smallest mean over training windows.
  std::string best_single(RunField field) const;
  /// The heuristic with the smallest mean over test windows: known only in hindsight.
  std::string best_on_test(RunField field) const;
  /// The value of whichever heuristic is best on each test window.
  std::vector<double> hindsight(RunField field) const;

 private:
  std::string workload_;
  std::vector<const MarsWindow*> training_;
  std::vector<const MarsWindow*> test_;
};

/// One for each workload, in the order of windows.
std::vector<MarsScores> mars_scores_of(const std::vector<MarsWindow>& windows);

double mean_of(const std::vector<double>& values);

/// Tables for people: changes against the best single heuristic and against the best of each window
/// in hindsight, against the usual ones, what each part of `mars` brings, and run times.
std::string mars_text(const std::vector<MarsWindow>& windows);
/// A row for each run.
std::string mars_csv(const std::vector<MarsWindow>& windows);
/// Slowdowns of the test windows by method.
std::string mars_svg(const std::vector<MarsWindow>& windows, const std::string& workload);

}  // namespace penstock
