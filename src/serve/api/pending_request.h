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
/// either the request is never begun, or the response says that it may have been done.
class PendingRequest {
 public:
  struct Timeouts {
    std::chrono::milliseconds to_begin{};
    std::chrono::milliseconds to_end{};  ///< from then on
  };

  /// Called by the worker before it begins: false if the request was given up and must not be
  /// carried out.
  bool begin();
  /// Sets the response; only the first one counts. Any thread may call it.
  void respond(ApiResponse answer);
  /// Waits for the response; called once, by the thread that made the request. Status 503 means
  /// that the request was not carried out and may be repeated, 504 that it may have been carried
  /// out.
  ApiResponse wait(const Timeouts& timeout);

 private:
  enum class Stage : std::uint8_t { asked, begun, given_up };
  std::mutex mutex_;
  std::condition_variable changed_;
  Stage stage_ = Stage::asked;           ///< guarded by mutex_
  std::optional<ApiResponse> answer_{};  ///< guarded by mutex_
};

/// Lets the thread that schedules do work for other threads between two events, and waits for the
/// response. Any thread may call any function.
class SchedulerCalls {
 public:
  using Respond = std::function<void(ApiResponse)>;
  /// Run by the thread that schedules; it may respond later.
  using Work = std::function<void(Time now, const Respond& respond)>;

  /// A cluster answers within `cluster_timeout`, or never. `backend` must outlive this.
  SchedulerCalls(SlurmBackend& backend, Duration cluster_timeout)
      : backend_(backend), cluster_timeout_(cluster_timeout) {}

  /// Waits for work that needs no cluster.
  ApiResponse call(const Work& work);
  /// Waits for work that a cluster must answer, as long as the cluster may take.
  ApiResponse call_cluster(const Work& work);
  /// Ends all waiting requests with an error; refuses new ones.
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
