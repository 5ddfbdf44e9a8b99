#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/method_run.h"
#include "base/result.h"

namespace penstock {

/// Networks are trained on the first third of a trace in 2020; what is chosen is chosen on its
/// middle in the first half of 2021, and figures are of its last part in the second half.
enum class GeoPeriod { choice, test };

std::string_view name_of(GeoPeriod period);

/// One stretch of a workload, on its own dates, under every router.
struct GeoCase {
  std::string workload{};  ///< "pai" or "philly"
  GeoPeriod period = GeoPeriod::test;
  std::uint32_t number = 0;  ///< 1 is the first of its workload and period
  std::string start{};       ///< where the trace's first day lies
  std::vector<MethodRun> runs{};

  const RunSummary& run(std::string_view method) const { return run_of(runs, method); }
};

struct GeoRequest {
  std::filesystem::path folder{};   ///< of the scenarios
  std::filesystem::path weights{};  ///< folder of geo-WORKLOAD-ROUTER.safetensors
  std::vector<std::string> only{};  ///< workloads; all if empty
  bool quick = false;               ///< fewer and shorter stretches
  unsigned threads = 1;
  bool progress = true;
  /// Told of all cases so far after each.
  std::function<Result<Done>(const std::vector<GeoCase>&)> after_each{};
};

/// The workloads by name: scenarios of data/studies/geo.
std::vector<std::string> geo_workloads();
/// Routers that follow one rule, jobs that wait not included.
std::vector<std::string> simple_routers();

Result<std::vector<GeoCase>> study_geo(const GeoRequest& request);

/// Tables for people: utility and its terms by router, what the best of them gain, where work went.
std::string geo_text(const std::vector<GeoCase>& cases);
/// A row for each run.
std::string geo_csv(const std::vector<GeoCase>& cases);

}  // namespace penstock
