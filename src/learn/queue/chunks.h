#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/queue/queue_world.h"
#include "learn/queue/task.h"

namespace penstock {

struct ChunkOptions {
  Duration below{};               ///< only tasks that ask for less than this are small
  Duration at_most{};             ///< that a chunk may ask for in all; 0 for no bound
  std::uint32_t most_tasks = 64;  ///< in one chunk
};

/// Small tasks put together, so that fewer choices are needed: a chunk runs its tasks one after
/// another on the same GPUs. Only rigid tasks with the same parents, submission and size that ask
/// for less than a threshold are put together, so they become ready together and whoever waits for
/// one of them waits for its chunk. No cycle can arise from this.
struct Chunks {
  /// To make a TaskSequence of. A chunk has the id of its first task, the sums of times and costs,
  /// and the earliest deadline.
  std::vector<Task> tasks{};
  std::vector<std::vector<std::uint32_t>>
      members{};  ///< of each, in order; indices in the original
};

/// `tasks` must be what a TaskSequence holds.
Chunks chunk_small(std::span<const Task> tasks, const ChunkOptions& options);

/// What became of every single task of the original when the chunks have been run to the end; a
/// task that needs more than it asked for is stopped.
std::vector<Fate> member_fates(const Chunks& chunks, std::span<const Task> original,
                               const QueueWorld& world);

}  // namespace penstock
