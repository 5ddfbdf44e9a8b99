#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/mars_windows.h"
#include "app/method_run.h"
#include "base/result.h"

namespace penstock {

/// One window under every method; of the training part under heuristics alone.
struct MarsWindow {
  std::string workload{};
  Part part = Part::test;
  std::uint32_t number = 0;
  std::uint64_t first = 0;
  std::vector<MethodRun> runs{};
};

struct MarsRequest {
  std::filesystem::path folder{};   ///< of the scenarios
  std::filesystem::path weights{};  ///< folder of NAME.safetensors or mars.safetensors
  std::vector<std::string> only{};  ///< workloads; all of them if empty
  std::uint32_t windows = 25;       ///< of each workload's test part
  unsigned threads = 1;
  bool progress = true;
  /// With all windows so far, by one thread at a time; an error ends the study.
  std::function<Result<Done>(const std::vector<MarsWindow>&)> after_each{};
};

/// Every order without and with EASY: "fifo", "fifo+easy", …
std::vector<std::string> heuristic_names();

/// Runs all windows, several at a time.
Result<std::vector<MarsWindow>> study_mars(const MarsRequest& request);

/// Tables for people: changes against the best single heuristic and against the best of each window
/// in hindsight, against the usual ones, what each part of `mars` brings, and run times.
std::string mars_text(const std::vector<MarsWindow>& windows);
/// A row for each run.
std::string mars_csv(const std::vector<MarsWindow>& windows);
/// Slowdowns of the test windows by method.
std::string mars_svg(const std::vector<MarsWindow>& windows, const std::string& workload);

}  // namespace penstock
