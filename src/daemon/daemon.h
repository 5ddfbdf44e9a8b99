#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "serve/config/config.h"

namespace penstock {

/// Waits for SIGINT or SIGTERM in a thread of its own. Both are blocked for all threads that are
/// started while it lives.
class ShutdownSignal {
 public:
  ShutdownSignal();
  ~ShutdownSignal();
  ShutdownSignal(const ShutdownSignal&) = delete;
  ShutdownSignal& operator=(const ShutdownSignal&) = delete;

  /// Whether a signal has arrived.
  bool arrived() const { return arrived_; }
  /// Calls `action` when a signal arrives, at once if it has already; replaces the action before.
  /// An empty one is never called.
  void on_arrival(std::function<void()> action);

 private:
  sigset_t signals_{};
  std::atomic<bool> arrived_{false};
  std::mutex mutex_;
  std::function<void()> action_;  ///< guarded by mutex_
  std::thread thread_;
};

/// Schedules the configured clusters until `shutdown` arrives. `home_page` is what GET / shows
/// (ApiOptions::home). The error says why the daemon cannot begin.
Result<Done> run_daemon(const ServeConfig& config, std::string_view home_page,
                        ShutdownSignal& shutdown);

}  // namespace penstock
