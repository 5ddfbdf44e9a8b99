#include "experiment/progress.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace penstock {

void work_in_parallel(std::size_t count, unsigned threads,
                      const std::function<void(std::size_t)>& work,
                      const ProgressCallback& progress, const std::function<WorkProgress()>& done) {
  using namespace std::chrono_literals;
  const std::size_t workers = std::min<std::size_t>(threads, count);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> busy = workers;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
    --busy;
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 0; i < workers; ++i) others.emplace_back(take);
  for (auto pause = 1ms; progress && busy > 0; pause = std::min(pause * 2, 50ms)) {
    std::this_thread::sleep_for(pause);
    progress(done());
  }
  others.clear();  // waits for them
  if (!progress) return;
  WorkProgress last = done();
  last.ended = true;
  progress(last);
}

}  // namespace penstock
