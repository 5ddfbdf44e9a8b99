#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "serve/config/config.h"

namespace penstock {

/// Leaves every job of a cluster that is held for Penstock to Slurm. Returns how many, or why the
/// cluster could not be asked.
Result<int> release_held_jobs(const SlurmSpec& site);

/// How many jobs of a journal wait for a site: no cluster has them, so they cannot be left to
/// Slurm. 0 without a journal.
Result<std::uint64_t> count_pooled_jobs(const std::filesystem::path& journal);

}  // namespace penstock
