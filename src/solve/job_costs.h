#pragma once

#include <vector>

#include "solve/windows.h"

namespace penstock {

/// What all jobs together need of each pool in each window: GPU-seconds.
using GpuSeconds = std::vector<std::vector<double>>;

/// The Lagrangian bound on the total cost of all jobs, by the window in which the run ends: the
/// least cost of each job by itself at these prices, less the value of all GPUs until then. It
/// holds for any prices.
///
/// By itself, a job ends at the best time there is: after it nothing is done, it is as late as
/// that, and of the work before each piece is done at the best time and in the best way.
std::vector<double> job_costs(const PricedWork& priced, const CapacityPrices& prices);

/// These costs, and what the jobs then use if the run ends in some window, but those with files.
struct JobCosts {
  std::vector<double> by_end{};
  GpuSeconds used{};
};
JobCosts job_costs_and_use(const PricedWork& priced, const CapacityPrices& prices, std::size_t end);

}  // namespace penstock
