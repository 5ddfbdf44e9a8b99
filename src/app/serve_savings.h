#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "app/savings.h"
#include "serve/api/api.h"

namespace penstock {

/// What the daemon answers when it is asked for savings: worked out by the thread that asks first,
/// and kept for a while. Whoever asks meanwhile gets what was known before.
class SavingsDesk {
 public:
  explicit SavingsDesk(SavingsRequest request) : request_(std::move(request)) {}
  ApiAnswer answer();

 private:
  using Steady = std::chrono::steady_clock;
  ApiAnswer known();

  SavingsRequest request_;
  std::mutex working_;
  std::mutex mutex_;
  std::optional<ApiAnswer> kept_;  ///< guarded by mutex_
  Steady::time_point made_{};      ///< the same
};

}  // namespace penstock
