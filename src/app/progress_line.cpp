#include "app/progress_line.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "report/progress.h"

namespace penstock {

void ProgressLine::watch(const std::function<bool()>& finished) {
  if (!shown_) return;
  using namespace std::chrono_literals;
  const auto begun = std::chrono::steady_clock::now();
  Progress progress(words_.what, {.terminal = isatty(STDERR_FILENO) != 0, .things = words_.things});
  bool said = false;
  for (Duration pause = 1ms; !finished(); pause = std::min<Duration>(pause * 2, 50ms)) {
    std::this_thread::sleep_for(pause);
    const auto elapsed =
        std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
    if (elapsed < 200ms) continue;  // short work needs no comment
    const auto text = progress.update({.done = done_, .total = expected_, .elapsed = elapsed});
    if (!text) continue;
    std::fputs(text->c_str(), stderr);
    said = true;
  }
  if (said) std::fputs(progress.finish().c_str(), stderr);
}

}  // namespace penstock
