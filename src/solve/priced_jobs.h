#pragma once

#include <vector>

#include "solve/windows.h"

namespace penstock {

/// Lagrange's bound on what all jobs come to, by the window in which the run ends: jobs at these
/// prices, each by itself, less the worth of all GPUs until then. It holds for any prices.
std::vector<double> job_costs(const PricedWork& priced, const CapacityPrices& prices);

}  // namespace penstock
