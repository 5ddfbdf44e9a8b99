#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/measures.h"

namespace penstock {

/// Two measures to be good in at once.
struct ParetoPair {
  const SummaryMeasure<RunSummary>* x = nullptr;
  const SummaryMeasure<RunSummary>* y = nullptr;

  /// "energy_kwh x jct_mean_s".
  std::string name() const;
};

/// "energy_kwh,jct_mean_s". The error lists the measures that there are.
Result<ParetoPair> parse_pair(std::string_view text);

/// energy_kwh x jct_mean_s, total_cost x tardiness_mean_s, carbon_kg x wait_mean_s.
std::vector<ParetoPair> usual_pairs();

/// Whether each run is on the front of a pair: no other is at least as good in both and better in
/// one. Runs without one of the two values are not. Of equal runs all are or none.
std::vector<bool> pareto_front(std::span<const RunSummary> runs, const ParetoPair& pair);

}  // namespace penstock
