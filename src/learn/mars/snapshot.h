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
  std::size_t window = 512;       ///< so many waiting jobs are in a future, the shortest
  bool weighs_cost = true;        ///< slowdowns count by what the job costs
  double per_gpu_hour = 0;        ///< money beside the energy
  std::size_t ahead = 128;        ///< so many arrivals are made up
  std::uint32_t futures = 4;      ///< so many are made up, all by other chances
  std::uint64_t seed = 1;         ///< of what is made up
  Sizing sizing = Sizing::asked;  ///< whether jobs that scale may start on other numbers of GPUs
};

/// One pool of GPUs as it is believed to be: who waits, who waits for whom, who runs.
struct Snapshot {
  TaskSequence tasks{};
  std::vector<RunningTask> running{};
};

/// What snapshots are drawn from beside the view.
struct Known {
  std::span<const JobId> held{};  ///< jobs that wait for their parents
  const History& history;
};

/// All who wait, as they asked; nobody comes. Jobs that the pool cannot hold are left out.
Snapshot take_present(const View& view, const Pool& pool, const Known& known,
                      const SnapshotRules& rules);

/// One way in which it may go on. Jobs that the pool cannot hold are left out. Run times are as
/// history has them; jobs that may come follow those that wait. The same seed draws the same.
Snapshot take_snapshot(const View& view, const Pool& pool, const Known& known,
                       const SnapshotRules& rules);

}  // namespace penstock
