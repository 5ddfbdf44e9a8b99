#pragma once

#include <vector>

#include "fit/catalogue_fit.h"

namespace penstock {

/// What is believed of a GPU type; of an unknown one, something in between.
PowerPrior prior_of(const std::string& gpu);

PowerReport report_power(const ClockSweep& sweep);
PowerReport report_power(const LimitSweep& sweep);

}  // namespace penstock
