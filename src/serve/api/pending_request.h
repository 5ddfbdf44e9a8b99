#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "base/time.h"
#include "live/slurm_backend.h"
#include "serve/api/api.h"

namespace penstock {

/// A request that one thread waits for and another carries out. When the wait takes too long,
/// either the request is never begun, or the one who waits is told that it may have been done.
class PendingRequest {
 public:
  struct Timeouts {
    std::chrono::milliseconds to_begin{};
    std::chrono::milliseconds to_end{};  ///< from then on
  };

  /// By the one who does it, before it is begun: false if it must not be any more.
  bool begin();
  /// By anybody: what came of it. The first word counts.
  void respond(ApiResponse answer);
  /// By the one who wants it, once. Status 503 is said of what was not done and may be asked for
  /// again, 504 of what may have been.
  ApiResponse wait(const Timeouts& timeout);

 private:
  enum class Stage : std::uint8_t { asked, begun, given_up };
  std::mutex mutex_;
  std::condition_variable changed_;
  Stage stage_ = Stage::asked;           ///< guarded by mutex_
  std::optional<ApiResponse> answer_{};  ///< guarded by mutex_
};

/// Lets other threads have the thread that schedules do something between two events, and waits for
/// the response. Any thread may call anything.
class SchedulerCalls {
 public:
  using Respond = std::function<void(ApiResponse)>;
  /// Done by the thread that schedules. It may give its response later.
  using Work = std::function<void(Time now, const Respond& respond)>;

  /// A cluster answers within `cluster_timeout`, or never. `backend` must outlive this.
  SchedulerCalls(SlurmBackend& backend, Duration cluster_timeout)
      : backend_(backend), cluster_timeout_(cluster_timeout) {}

  /// Waits for what the daemon knows itself.
  ApiResponse call(const Work& work);
  /// Waits for what a cluster must be asked for, as long as that may take.
  ApiResponse call_cluster(const Work& work);
  /// Nothing will be done any more: those who wait are told so.
  void close();

 private:
  ApiResponse call_within(const Work& work, Duration timeout);

  SlurmBackend& backend_;
  Duration cluster_timeout_;
  std::mutex mutex_;
  std::set<std::shared_ptr<PendingRequest>> pending_;  ///< guarded by mutex_
  bool closed_ = false;                                ///< guarded by mutex_
};

}  // namespace penstock
