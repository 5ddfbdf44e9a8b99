#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace penstock {

/// A stay of a job on the machines, as it was written down.
struct RecordedRun {
  Time word{};   ///< when it was said that it shall begin
  Time ended{};  ///< when it was over, or was told to end
  std::uint32_t gpus = 1;
  std::uint32_t clock_mhz = 0;  ///< 0: as the GPUs are by themselves
  std::string site{};
  std::string type{};                ///< of its GPUs
  std::vector<std::string> nodes{};  ///< each gave as many of its GPUs
};
/// By the names of jobs, each with its runs from the first to the last.
using RecordedRuns = std::map<std::string, std::vector<RecordedRun>, std::less<>>;

}  // namespace penstock
