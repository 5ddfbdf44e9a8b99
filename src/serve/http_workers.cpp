#include "serve/http_workers.h"

#include <csignal>
#include <system_error>
#include <utility>

namespace penstock {

void HttpWorkers::enqueue(std::function<void()> task) {
  if (!hand_over(task)) task();
}

bool HttpWorkers::hand_over(std::function<void()>& task) {
  const std::lock_guard lock(mutex_);
  if (idle_ <= tasks_.size()) {
    if (threads_.size() >= most_) return false;
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the machine has no more threads
      return false;
    }
  }
  tasks_.push_back(std::move(task));
  came_.notify_one();
  return true;
}

void HttpWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    came_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void HttpWorkers::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace penstock
