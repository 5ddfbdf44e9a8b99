#pragma once

#include <span>
#include <vector>

#include "learn/mars/history.h"
#include "learn/queue/episodes.h"
#include "learn/queue/queue_world.h"
#include "policy/place/pool.h"
#include "policy/policy.h"

namespace penstock {

/// How jobs become tasks.
struct SnapshotRules {
  std::size_t window = 512;       ///< number of waiting jobs in a future, shortest first
  bool weighs_cost = true;        ///< slowdowns count by what the job costs
  double per_gpu_hour = 0;        ///< money beside the energy
  std::size_t ahead = 128;        ///< number of arrivals that are sampled
  std::uint32_t futures = 4;      ///< number of futures, each with its own random numbers
  std::uint64_t seed = 1;         ///< of the samples
  Sizing sizing = Sizing::asked;  ///< whether jobs that scale may start on other numbers of GPUs
};

/// One pool of GPUs as it is believed to be: waiting jobs, their dependencies, running jobs.
struct Snapshot {
  TaskSequence tasks{};
  std::vector<RunningTask> running{};
};

/// What snapshots are made from beside the view.
struct SnapshotInputs {
  std::span<const JobId> held{};  ///< jobs that wait for their parents
  const History& history;
};

/// All waiting jobs as requested, without arrivals. Jobs that the pool cannot hold are left out.
Snapshot take_present(const View& view, const Pool& pool, const SnapshotInputs& inputs,
                      const SnapshotRules& rules);

/// One possible future. Jobs that the pool cannot hold are left out. Run times are as history has
/// them; jobs that may come follow those that wait. The same seed draws the same.
Snapshot take_snapshot(const View& view, const Pool& pool, const SnapshotInputs& inputs,
                       const SnapshotRules& rules);

}  // namespace penstock
