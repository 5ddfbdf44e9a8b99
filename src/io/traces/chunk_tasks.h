#pragma once

#include <vector>

#include "model/trace.h"

namespace penstock {

/// Which tasks of a workflow are put together.
struct ChunkSpec {
  Duration below{};    ///< only tasks that run for less than this; 0 puts none together
  Duration at_most{};  ///< that a chunk may run; 0 for no bound
};

/// Small tasks that wait for the same others, or for nobody, and take as many GPUs are put together
/// into one that runs them one after another, called after its first with "+N". Whoever waits for
/// one of them waits for all. Parents are places in the list, before their children, and stay so.
std::vector<TracedJob> chunk_tasks(const std::vector<TracedJob>& tasks, const ChunkSpec& spec);

}  // namespace penstock
