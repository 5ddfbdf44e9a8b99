#pragma once

#include <functional>
#include <vector>

#include "model/state.h"
#include "policy/place/pool.h"

namespace penstock {

/// The nodes of a pool to keep clear for a job that finds enough GPUs free but
/// scattered: those on which it could start soonest, going by when running jobs
/// are believed to end.
std::vector<NodeId> nodes_to_drain(const State& state, const Pool& pool, std::uint32_t gpus,
                                   const std::function<Time(JobId)>& believed_end);

}  // namespace penstock
