#pragma once

#include <string>
#include <vector>

#include "study/geo/geo_study.h"

namespace penstock {

/// Tables for people: utility and its terms by router, what the best of them gain, what was learned
/// and what was not trained, where work went.
std::string geo_text(const std::vector<GeoCase>& cases);
/// A row for each run.
std::string geo_csv(const std::vector<GeoCase>& cases);
/// A row for each router and weights of cost and carbon.
std::string pareto_csv(const std::vector<GeoCase>& cases);

}  // namespace penstock
