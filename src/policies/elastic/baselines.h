#pragma once

#include <memory>

#include "policies/elastic/allocator.h"

namespace penstock {

/// AFS-L: elastic; of two jobs the shorter gets the next step unless the longer gains more by it.
std::unique_ptr<Allocator> make_afs();

/// Optimus: elastic, by the time a step saves; planned anew at every event and `interval`.
std::unique_ptr<Allocator> make_optimus(Duration interval);

struct TiresiasOptions {
  double first_threshold = 3250;   ///< GPU-seconds after which a job leaves the first queue
  double second_threshold = 7200;  ///< the same for the second
  double promote = 8;  ///< back to the first after waiting so many times what it ran; 0: never
};
/// Tiresias: rigid, least attained GPU-time first, in three queues.
std::unique_ptr<Allocator> make_tiresias(const TiresiasOptions& options);

struct GandivaOptions {
  Duration slice = std::chrono::minutes(30);
  bool grow = true;  ///< running jobs grow into idle GPUs
};
/// Gandiva: rigid, time slices in turn when jobs wait; grows jobs into idle GPUs.
std::unique_ptr<Allocator> make_gandiva(const GandivaOptions& options);

/// The next larger power of two, on which a job with the batch it asked for is faster than
/// on `gpus`, and after these what it asked for; from none, the fewest on which it runs at all.
/// Nothing if there is none.
std::optional<std::uint32_t> next_size(const AllocationJob& job, std::uint32_t gpus,
                                       const AllocationProblem& problem);

/// Undoes growth of running jobs that would not make up for its restart.
void keep_unless_growth_pays(AllocationProblem& problem);

}  // namespace penstock
