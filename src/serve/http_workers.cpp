#include "serve/http_workers.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace penstock {

void HttpWorkers::enqueue(std::function<void()> task) {
  if (!hand_over(task)) task();
}

bool HttpWorkers::hand_over(std::function<void()>& task) {
  constexpr std::chrono::milliseconds kPatience{20};  // a thread may just be done
  std::unique_lock lock(mutex_);
  const auto has_room = [this] { return idle_ > tasks_.size(); };
  if (!has_room() && !hire() && !freed_.wait_for(lock, kPatience, has_room)) return false;
  tasks_.push_back(std::move(task));
  came_.notify_one();
  return true;
}

/// Adds a thread, which counts as idle from now on.
bool HttpWorkers::hire() {
  if (threads_.size() >= most_) return false;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // the machine has no more
    return false;
  }
  ++idle_;
  return true;
}

void HttpWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    came_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    --idle_;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
    ++idle_;
    freed_.notify_one();
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
