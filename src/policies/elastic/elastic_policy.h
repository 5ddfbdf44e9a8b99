#pragma once

#include <functional>
#include <memory>

#include "policies/elastic/board.h"
#include "policy/policy_table.h"

namespace penstock {

/// An allocator for each pool.
using MakeAllocator = std::function<std::unique_ptr<Allocator>()>;

/// The frame of all policies that change jobs while they run: keeps the jobs of each pool,
/// asks its allocator after every event, and carries out what that wants with buddy blocks.
/// A job belongs to the pool that was least wanted when it came.
std::unique_ptr<Policy> make_elastic_policy(const PolicySetting& setting,
                                            const MakeAllocator& make_allocator);

}  // namespace penstock
