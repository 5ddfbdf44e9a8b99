#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace penstock {

/// A recorded run of a job.
struct RecordedRun {
  Time ordered{};  ///< when its start was ordered
  Time ended{};    ///< when it was over, or its end was ordered
  std::uint32_t gpus = 1;
  std::uint32_t clock_mhz = 0;  ///< 0: the GPU's default
  std::string site{};
  std::string type{};                ///< of its GPUs
  std::vector<std::string> nodes{};  ///< each gave as many of its GPUs
};
/// By the names of jobs, each with its runs from the first to the last.
using RecordedRuns = std::map<std::string, std::vector<RecordedRun>, std::less<>>;

}  // namespace penstock
