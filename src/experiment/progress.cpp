#include "experiment/progress.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/in_parallel.h"

namespace penstock {

void work_in_parallel(std::size_t count, unsigned threads,
                      const std::function<void(std::size_t)>& work,
                      const ProgressCallback& progress, const std::function<WorkProgress()>& done) {
  using namespace std::chrono_literals;
  std::atomic<bool> busy = count > 0;
  std::jthread worker([&] {
    in_parallel(count, threads, work);
    busy = false;
  });
  for (auto pause = 1ms; progress && busy; pause = std::min(pause * 2, 50ms)) {
    std::this_thread::sleep_for(pause);
    progress(done());
  }
  worker.join();
  if (!progress) return;
  WorkProgress last = done();
  last.ended = true;
  progress(last);
}

}  // namespace penstock
