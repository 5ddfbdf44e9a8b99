#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/measures/metrics.h"
#include "study/study.h"

namespace penstock {

/// The parts of a trace beside the first third, on which networks are trained (in 2020): choices
/// are made on its middle in the first half of 2021, and figures come from its last part in the
/// second.
enum class GeoPeriod { choice, test };

std::string_view name_of(GeoPeriod period);

/// Price and carbon intensity of a site at each hour of the day, while jobs ran.
struct GeoSite {
  std::string name{};
  ByHour price{};   ///< for a kilowatt-hour
  ByHour carbon{};  ///< grams for a kilowatt-hour
};

/// A router with other weights of cost and carbon.
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

/// The workloads by name: scenarios of data/studies/geo.
std::vector<std::string> geo_workloads();

/// One stretch of a workload as the study means to run it.
struct GeoPlan {
  std::string workload{};
  GeoPeriod period = GeoPeriod::test;
  std::uint32_t number = 0;
  std::string start{};  ///< of the whole trace
  std::uint32_t skip = 0;
  std::uint32_t limit = 0;
};

/// The stretches of all workloads that are asked for, in their order.
std::vector<GeoPlan> geo_plans(const StudyRequest& request);

/// Runs every router on one stretch; on a test stretch also those that need other forecasts or
/// other weights of cost and carbon.
Result<GeoCase> run_geo_case(const GeoPlan& plan, const StudyRequest& request);

/// Every stretch of the study.
Result<std::vector<GeoCase>> run_geo_cases(const StudyRequest& request);

/// The whole study: utility, cost and carbon of routers over five sites with real prices.
Result<StudyResult> run_geo_study(const StudyRequest& request);

}  // namespace penstock
