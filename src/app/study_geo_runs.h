#pragma once

#include "app/study_geo.h"

namespace penstock {

/// One stretch of a workload as the study means to run it.
struct GeoPlan {
  std::string workload{};
  GeoPeriod period = GeoPeriod::test;
  std::uint32_t number = 0;
  std::string start{};  ///< of the whole trace
  std::uint32_t skip = 0;
  std::uint32_t limit = 0;
};

/// Runs every router on it; on a test stretch also what is told of one only.
Result<GeoCase> run_geo_case(const GeoPlan& plan, const GeoRequest& study);

}  // namespace penstock
