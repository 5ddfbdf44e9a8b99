#pragma once

#include <string>

#include "model/measurements.h"

namespace penstock {

/// A picture (SVG) of one profile against what was measured: throughput by GPUs for each
/// batch size, and power and energy per work by clock.
std::string fit_plot(const Profile& profile, const Measurements& measurements);

}  // namespace penstock
