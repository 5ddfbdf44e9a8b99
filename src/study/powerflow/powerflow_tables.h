#pragma once

#include <string>
#include <vector>

#include "study/powerflow/powerflow_study.h"

namespace penstock {

/// The tables for people: by rival, by part of the energy, by cluster, by what is left out, by
/// case.
std::string powerflow_text(const std::vector<PowerflowCase>& cases);
/// A row for each run.
std::string powerflow_csv(const std::vector<PowerflowCase>& cases);
/// Energy against mean completion time, a panel for each case of one trace that has a front.
std::string powerflow_svg(const std::vector<PowerflowCase>& cases, const std::string& trace);

}  // namespace penstock
