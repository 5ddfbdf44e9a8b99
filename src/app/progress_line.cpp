#include "app/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <memory>

namespace penstock {

void ProgressLine::update(const WorkProgress& work) {
  using namespace std::chrono_literals;
  if (!shown_) {
    begun_ = Clock::now();
    shown_.emplace(what_, ProgressStyle{.terminal = isatty(STDERR_FILENO) != 0, .things = things_});
    printed_ = false;
  }
  if (work.ended) {
    if (printed_) std::fputs(shown_->finish().c_str(), stderr);
    shown_.reset();
    return;
  }
  const auto elapsed = std::chrono::duration_cast<Duration>(Clock::now() - begun_);
  if (elapsed < 200ms) return;  // short work needs no comment
  const auto text = shown_->update({.done = work.done, .total = work.expected, .elapsed = elapsed});
  if (!text) return;
  std::fputs(text->c_str(), stderr);
  printed_ = true;
}

ProgressCallback show_progress(bool shown, const char* what, const char* things) {
  if (!shown) return {};
  auto line = std::make_shared<ProgressLine>(what, things);
  return [line](const WorkProgress& work) { line->update(work); };
}

}  // namespace penstock
