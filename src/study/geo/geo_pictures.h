#pragma once

#include <vector>

#include "study/geo/geo_study.h"

namespace penstock {

/// Of each workload: maps of work by site and hour, shares by site, and cost against carbon.
std::vector<StudyFile> geo_pictures(const std::vector<GeoCase>& cases);

}  // namespace penstock
