#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

/// A number of GPUs that a job could have, and what that is worth.
struct GpuChoice {
  std::uint32_t gpus = 0;
  double value = 0;
};

/// What a job could have, the fewest GPUs first. The first is none, so that all jobs always fit.
using GpuChoices = std::vector<GpuChoice>;

/// The index of each job's choice.
using ChosenGpus = std::vector<std::uint32_t>;

/// The concave hull of value over GPUs, as indices of choices; it begins with none.
std::vector<std::uint32_t> concave_hull(const GpuChoices& choices);

/// One choice for each job, of most value together within so many GPUs. Of equal ones, up to
/// rounding, later jobs have fewer GPUs. Needs time and memory for jobs · GPUs · choices (dynamic
/// programming for the multiple-choice knapsack).
ChosenGpus best_choices(std::span<const GpuChoices> jobs, std::uint32_t gpus);

/// Nearly as good, and quick for large pools: goes along the concave hulls of value over GPUs,
/// the step with the largest gain for a GPU first, and gives what is left over to whom it is worth
/// most. It misses at most the value of one step.
ChosenGpus steepest_choices(std::span<const GpuChoices> jobs, std::uint32_t gpus);

}  // namespace penstock
