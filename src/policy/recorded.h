#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/policy.h"

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

/// Does again what was done: every job starts, changes and stops when and where it did, or as soon
/// after as there is room, after a while on others like these; its last run lasts until its work is
/// done. What is then different from what happened is the world's doing, not the decisions'. Nodes
/// that are alike are taken for each other; a job without a record starts when there is room.
std::unique_ptr<Policy> make_recorded(RecordedRuns runs);

}  // namespace penstock
