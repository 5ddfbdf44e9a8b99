#pragma once

#include <functional>
#include <memory>

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

/// What the allocators of all pools share; it outlives them.
class SharedByPools {
 public:
  virtual ~SharedByPools() = default;
};

/// The common part of all policies that change running jobs: keeps the jobs of each pool, calls its
/// allocator after every event, and carries out the allocation with buddy blocks. A job belongs to
/// the pool with the least demand when it was submitted.
std::unique_ptr<Policy> make_elastic_policy(const PolicySetting& setting,
                                            const MakeAllocator& make_allocator,
                                            std::unique_ptr<SharedByPools> shared = nullptr);

}  // namespace penstock
