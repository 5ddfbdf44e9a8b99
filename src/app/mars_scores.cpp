#include "app/mars_scores.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace penstock {
namespace {

std::vector<double> values_on(const std::vector<const MarsWindow*>& windows,
                              const std::string& method, RunField field) {
  std::vector<double> values;
  for (const MarsWindow* window : windows) {
    const RunSummary* run = find_run(window->runs, method);
    if (run == nullptr || !(run->*field)) return {};
    values.push_back(*(run->*field));
  }
  return values;
}

std::string best_on(const std::vector<const MarsWindow*>& windows, RunField field) {
  std::string best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& name : heuristic_names()) {
    const double mean = mean_of(values_on(windows, name, field));
    if (mean >= least) continue;
    least = mean;
    best = name;
  }
  return best;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

MarsScores::MarsScores(const std::vector<MarsWindow>& windows, std::string workload)
    : workload_(std::move(workload)) {
  for (const MarsWindow& window : windows)
    if (window.workload == workload_)
      (window.part == Part::test ? test_ : training_).push_back(&window);
}

bool MarsScores::has(const std::string& method) const {
  return !test_.empty() && find_run(test_.front()->runs, method) != nullptr;
}

std::vector<double> MarsScores::values(const std::string& method, RunField field) const {
  return values_on(test_, method, field);
}

std::string MarsScores::best_single(RunField field) const {
  return best_on(training_, field);
}

std::string MarsScores::best_on_test(RunField field) const {
  return best_on(test_, field);
}

std::vector<double> MarsScores::hindsight(RunField field) const {
  std::vector<double> least(test_.size(), std::numeric_limits<double>::infinity());
  for (const std::string& name : heuristic_names()) {
    const std::vector<double> values = values_on(test_, name, field);
    for (std::size_t i = 0; i < values.size(); ++i) least[i] = std::min(least[i], values[i]);
  }
  return least;
}

std::vector<MarsScores> scores_of(const std::vector<MarsWindow>& windows) {
  std::vector<MarsScores> scores;
  for (const MarsWindow& window : windows)
    if (scores.empty() || scores.back().workload() != window.workload)
      scores.emplace_back(windows, window.workload);
  return scores;
}

}  // namespace penstock
