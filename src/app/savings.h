#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "io/scenario/scenario.h"
#include "report/measures/savings.h"

namespace penstock {

struct SavingsRequest {
  std::filesystem::path journal{};
  std::optional<PolicyChoice> former{};  ///< default: first come first served with easy backfill
  std::optional<PolicyChoice> policy{};  ///< default: the one the daemon began with last
  std::optional<Time> since{};           ///< default: since mode and policy are as they are now
  std::uint64_t least_jobs = 30;         ///< fewer say nothing: then `saved` is empty
};

/// Reads a journal, simulates its jobs under both policies and compares. Takes seconds to minutes;
/// reads files only, so it may run beside a daemon that writes the journal.
Result<Savings> work_out_savings(const SavingsRequest& request);

}  // namespace penstock
