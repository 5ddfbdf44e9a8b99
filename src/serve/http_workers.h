#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock {

/// Threads for connections, made when they are needed and at most so many. A task for which there
/// is none, nor soon will be, is run by whoever brings it.
class HttpWorkers final : public httplib::TaskQueue {
 public:
  explicit HttpWorkers(std::size_t most) : most_(most) {}

  void enqueue(std::function<void()> task) override;
  /// Ends when all tasks have.
  void shutdown() override;

 private:
  /// Whether a thread takes it.
  bool hand_over(std::function<void()>& task);
  bool hire();
  void work();

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable freed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ends_ = false;
};

}  // namespace penstock
