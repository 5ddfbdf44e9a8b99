#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "page/stored_jobs.h"

namespace penstock {

/// Who was submitted: jobs in order of submission, those of one instant by name. Runs over the
/// same jobs share one.
struct Population {
  std::vector<const StoredJob*> jobs{};
  std::uint64_t submitted = 0;  ///< as summary.json counts them; there may be some that never ended
};

/// The jobs of a run in that order.
std::vector<const StoredJob*> in_order(std::span<const StoredJob> jobs);

/// Takes the jobs of a run, which must be in order, into the population if both are of the same
/// submissions: they count the same number, and together are not more. False if they are not.
bool join(Population& population, std::span<const StoredJob* const> jobs, std::uint64_t submitted);

/// The run's job for each of the population; null where it never ended. They must be joined, and
/// in order.
std::vector<const StoredJob*> matched(const Population& population,
                                      std::span<const StoredJob* const> jobs);

}  // namespace penstock
