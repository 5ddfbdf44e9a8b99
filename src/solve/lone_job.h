#pragma once

#include <span>

#include "solve/bounded_jobs.h"
#include "solve/step_rate.h"

namespace penstock {

struct LoneRates {
  std::span<const double> rates;  ///< what a joule comes to at least, by site
  const Counted& counted;
};

/// What a job comes to at least had it all machines for itself: its machines and its own tardiness
/// together, over all mixtures of its ways.
double least_alone(const BoundedJob& job, const BoundedShape& shape, const Machines& machines,
                   const LoneRates& lone);

}  // namespace penstock
