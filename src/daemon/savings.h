#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>

#include "io/scenario/scenario.h"
#include "report/measures/savings.h"
#include "serve/api/api.h"

namespace penstock {

struct SavingsRequest {
  std::filesystem::path journal{};
  std::optional<PolicyChoice> former{};  ///< default: first come first served with easy backfill
  std::optional<PolicyChoice> policy{};  ///< default: the one the daemon began with last
  std::optional<Time> since{};           ///< default: since mode and policy are as they are now
  std::uint64_t least_jobs = 30;         ///< with fewer `saved` is empty
};

/// Reads a journal, simulates its jobs under both policies and compares. Takes seconds to minutes;
/// reads files only, so it may run beside a daemon that writes the journal.
Result<Savings> compute_savings(const SavingsRequest& request);

/// The daemon's answer to a request for savings: computed by the first thread that asks, and cached
/// for two minutes. Requests during the computation get the previous answer.
class SavingsCache {
 public:
  explicit SavingsCache(SavingsRequest request) : request_(std::move(request)) {}
  ApiResponse answer();

 private:
  using Steady = std::chrono::steady_clock;
  ApiResponse known();

  SavingsRequest request_;
  std::mutex computing_;
  std::mutex mutex_;
  std::optional<ApiResponse> kept_;  ///< guarded by mutex_
  Steady::time_point made_{};        ///< guarded by mutex_
};

}  // namespace penstock
