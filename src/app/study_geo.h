#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/method_run.h"
#include "base/result.h"
#include "report/measures/metrics.h"

namespace penstock {

/// Networks are trained on the first third of a trace in 2020; what is chosen is chosen on its
/// middle in the first half of 2021, and figures are of its last part in the second half.
enum class GeoPeriod { choice, test };

std::string_view name_of(GeoPeriod period);

/// What a site's power cost and brought along at each hour of the day, while jobs ran.
struct GeoSite {
  std::string name{};
  ByHour price{};   ///< for a kilowatt-hour
  ByHour carbon{};  ///< grams for a kilowatt-hour
};

/// A router that was told to weigh cost and carbon so.
struct WeighedRun {
  double cost = 0.5;
  double carbon = 0.5;
  MethodRun of{};
};

/// One stretch of a workload, on its own dates, under every router.
struct GeoCase {
  std::string workload{};  ///< "pai" or "philly"
  GeoPeriod period = GeoPeriod::test;
  std::uint32_t number = 0;  ///< 1 is the first of its workload and period
  std::string start{};       ///< where the trace's first day lies
  std::vector<MethodRun> runs{};
  // Of test stretches only:
  std::string currency{};
  std::vector<GeoSite> sites{};
  std::vector<MethodRun> day_ahead{};  ///< where day-ahead prices are known once they are out
  std::vector<WeighedRun> weighed{};   ///< in order of the weight of carbon

  const RunSummary& run(std::string_view method) const { return run_of(runs, method); }
};

struct GeoRequest {
  std::filesystem::path folder{};   ///< of the scenarios
  std::filesystem::path weights{};  ///< folder of geo-WORKLOAD-VARIANT.safetensors
  std::vector<std::string> only{};  ///< workloads; all if empty
  bool quick = false;               ///< fewer and shorter stretches
  unsigned threads = 1;
  bool progress = true;
  /// Told of all cases so far after each.
  std::function<Result<Done>(const std::vector<GeoCase>&)> after_each{};
};

/// The workloads by name: scenarios of data/studies/geo.
std::vector<std::string> geo_workloads();

Result<std::vector<GeoCase>> study_geo(const GeoRequest& request);

/// Tables for people: utility and its terms by router, what the best of them gain, what was learned
/// and what was not trained, where work went.
std::string geo_text(const std::vector<GeoCase>& cases);
/// A row for each run.
std::string geo_csv(const std::vector<GeoCase>& cases);
/// A row for each router and weights of cost and carbon.
std::string pareto_csv(const std::vector<GeoCase>& cases);

struct GeoPicture {
  std::string file{};
  std::string svg{};
};
/// Of each workload: maps of work by site and hour, shares by site, and cost against carbon.
std::vector<GeoPicture> geo_pictures(const std::vector<GeoCase>& cases);

}  // namespace penstock
