#pragma once

#include <memory>

#include "policy/policy.h"
#include "policy/recorded_run.h"

namespace penstock {

/// Does again what was done: every job starts, changes and stops when and where it did, or as soon
/// after as there is room, after a while on others like these; its last run lasts until its work is
/// done. What is then different from what happened is the world's doing, not the decisions'. Nodes
/// that are alike are taken for each other; a job without a record starts when there is room.
std::unique_ptr<Policy> make_recorded(RecordedRuns runs);

}  // namespace penstock
