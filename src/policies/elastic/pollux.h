#pragma once

#include <memory>

#include "policies/elastic/allocator.h"

namespace penstock {

struct PolluxOptions {
  Duration interval = std::chrono::seconds(60);  ///< between plans; events do not cause any
  double fairness = -1;  ///< the exponent of the power mean of speedups, from -10 to 1
};

/// Pollux: elastic GPUs and batches, for the largest power mean of all jobs' speedups over a fair
/// share of the GPUs.
std::unique_ptr<Allocator> make_pollux(const PolluxOptions& options);

/// What is left of the speedup of a job that is given other GPUs: (T - R·delta) / (T + delta), with
/// its age T, the times R that it was given others so far, and the length delta of a restart; at
/// least 0. Nothing is lost by the first start.
double reallocation_factor(const AllocationJob& job, Time now);

/// What a speedup adds to the fitness that is maximised, which orders plans as their power mean
/// with the exponent `fairness` does. Larger for a larger speedup, and finite for one of 0.
double fitness_of(double speedup, double fairness);

}  // namespace penstock
