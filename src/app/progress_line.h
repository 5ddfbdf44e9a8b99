#pragma once

#include <chrono>
#include <optional>

#include "experiment/progress.h"
#include "report/terminal/progress.h"

namespace penstock {

/// Shows on stderr how many of the expected things are done: a bar on a terminal, a line every few
/// seconds elsewhere.
class ProgressLine {
 public:
  /// `what` is done to `things`: "simulating", "jobs".
  ProgressLine(const char* what, const char* things) : what_(what), things_(things) {}

  void update(const WorkProgress& work);

 private:
  using Clock = std::chrono::steady_clock;

  const char* what_;
  const char* things_;
  Clock::time_point begun_{};
  std::optional<Progress> shown_{};  ///< while the work goes on
  bool printed_ = false;
};

/// A callback that shows progress, or none if `shown` is false.
ProgressCallback show_progress(bool shown, const char* what, const char* things);

}  // namespace penstock
