#pragma once

#include <string>
#include <vector>

#include "study/andreas/andreas_study.h"

namespace penstock {

/// Tables for people: savings by method, those of `pr` by group of workloads and by workload, where
/// it is dearer than a rival, and what costs are made of.
std::string andreas_text(const std::vector<AndreasCase>& cases);
/// A row for each run.
std::string andreas_csv(const std::vector<AndreasCase>& cases);
/// Cost of a job against nodes, a panel for each kind of arrivals.
std::string andreas_svg(const std::vector<AndreasCase>& cases, const std::string& cluster);

}  // namespace penstock
