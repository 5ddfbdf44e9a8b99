#pragma once

#include <optional>

#include "solve/bounded_jobs.h"

namespace penstock {

/// The least possible cost of a run. Nothing if it is unbounded. `makespan` must be a lower bound
/// of the run's length in seconds.
///
/// Work may be put into any window of time after submission, at the least rate of that window, as
/// much as the job can do in it; GPUs of a window are shared out by GPU-seconds, at prices that a
/// linear program finds. At any such prices every job can be bounded by itself, so nothing depends
/// on how well the program was solved, or that it knows jobs only by classes.
std::optional<double> least_bill(const BoundedWorld& world, const BoundedJobs& jobs,
                                 double makespan, const ObjectiveWeights& weights,
                                 const BoundSettings& settings);

}  // namespace penstock
