#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/study_andreas.h"
#include "app/study_geo.h"
#include "app/study_mars.h"
#include "app/study_powerflow.h"
#include "page/page.h"

namespace penstock {

/// The runs of a study for a report: a source for each case. Studies keep no jobs, so it has none.
std::vector<PageSource> page_sources(const std::vector<StudyCase>& cases);
std::vector<PageSource> page_sources(const std::vector<AndreasCase>& cases);
std::vector<PageSource> page_sources(const std::vector<MarsWindow>& windows);
std::vector<PageSource> page_sources(const std::vector<GeoCase>& cases);

}  // namespace penstock
