#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/config/config.h"

namespace penstock {

/// Fetches series over HTTP into their files, in a thread of its own. A file is replaced whole, and
/// only by an answer of 200 that is not empty; until then the last one is the cache. SignalWatch
/// decides whether a file is too old.
class SignalFetcher {
 public:
  explicit SignalFetcher(std::vector<FetchSpec> specs);
  ~SignalFetcher();
  SignalFetcher(const SignalFetcher&) = delete;
  SignalFetcher& operator=(const SignalFetcher&) = delete;

 private:
  void run();

  std::vector<FetchSpec> specs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;  ///< guarded by mutex_
  std::thread thread_;
};

/// Fetches one series now. The error names the address and what went wrong.
Result<Done> fetch_once(const FetchSpec& spec);

}  // namespace penstock
