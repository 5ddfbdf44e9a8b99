#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/mars/mars_windows.h"
#include "study/study.h"

namespace penstock {

/// One window under every method; of the training part under heuristics alone.
struct MarsWindow {
  std::string workload{};
  MarsPart part = MarsPart::test;
  std::uint32_t number = 0;
  std::uint64_t first = 0;
  std::vector<MethodRun> runs{};
};

/// Every order without and with EASY: "fifo", "fifo+easy", …
std::vector<std::string> heuristic_names();

/// One window, one run at a time.
Result<MarsWindow> run_mars_window(const MarsPlan& plan, const StudyRequest& request);

/// Runs all windows, several at a time.
Result<std::vector<MarsWindow>> run_mars_windows(const StudyRequest& request);

/// The whole study: bounded slowdown against every heuristic, the best of each window and plain
/// learning.
Result<StudyResult> run_mars_study(const StudyRequest& request);

}  // namespace penstock
