#pragma once

#include <span>

#include "solve/bounded_jobs.h"
#include "solve/step_rate.h"

namespace penstock {

/// What a job comes to at least had it all machines for itself: its machines and its own tardiness
/// together, over all mixtures of its ways. `rates` is what a joule comes to at least, by site.
double least_alone(const BoundedJob& job, const BoundedShape& shape, const Machines& machines,
                   std::span<const double> rates);

}  // namespace penstock
