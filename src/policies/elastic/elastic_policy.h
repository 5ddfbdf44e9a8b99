#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "policies/elastic/allocator.h"
#include "policy/policy_table.h"

namespace penstock {

/// Turns the allocation in a problem into actions that are legal one after the other, and keeps
/// `packing` in step: jobs that shall wait are stopped, others shrink, grow and start, and jobs are
/// migrated where that makes room and pays. A job for which no room can be made stays where it is,
/// at no higher clock than was planned.
void actuate(const AllocationProblem& problem, Packing& packing, Decision& decision);

/// An allocator for each pool.
using MakeAllocator = std::function<std::unique_ptr<Allocator>()>;

/// A job that is to change its pool.
struct PoolChange {
  JobId job{};
  std::uint32_t to = 0;  ///< the place of its new pool's problem
};

/// Assigns jobs to pools, before the allocators divide the GPUs of each.
class PoolChooser {
 public:
  virtual ~PoolChooser() = default;
  /// The jobs that change their pool, none of them twice. `problems` are those of all pools, always
  /// in the same order, with all jobs that are not pinned and running. Asked whenever an allocator
  /// is, and afterwards the allocators of all pools are. A job must be allowed on the type of its
  /// new pool and have room there as it asked or as its profile allows. A running job cannot leave
  /// its site, nor a waiting one the site of its files.
  virtual std::vector<PoolChange> choose(std::span<const AllocationProblem> problems) = 0;
};

/// What the allocators of all pools share; it outlives them.
class SharedByPools {
 public:
  virtual ~SharedByPools() = default;
  /// Null if every job stays in the pool that it joined.
  virtual PoolChooser* pool_chooser() { return nullptr; }
};

/// The common part of all policies that change running jobs: keeps the jobs of each pool, calls its
/// allocator after every event, and carries out the allocation with buddy blocks. A job belongs to
/// the pool with the least demand when it was submitted, until a pool chooser assigns it to
/// another: if it runs, it then goes there with the GPUs it is allocated (AllocationJob::moves).
/// Where there is no room at once, because others wait for its own GPUs or it is rigid, it is
/// stopped and starts there in a further decision at the same instant.
std::unique_ptr<Policy> make_elastic_policy(const PolicySetting& setting,
                                            const MakeAllocator& make_allocator,
                                            std::unique_ptr<SharedByPools> shared = nullptr);

}  // namespace penstock
