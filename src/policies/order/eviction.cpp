#include "policies/order/eviction.h"

#include <algorithm>

namespace penstock {
namespace {

/// Takes out of `stopped` the jobs that are not in the way, the last to be stopped first; they
/// hold their GPUs in the pool again.
std::vector<JobId> spare_who_may_stay(Pool& pool, std::uint32_t gpus, const State& state,
                                      std::vector<JobId>& stopped) {
  std::vector<JobId> spared;
  std::ranges::reverse(stopped);
  std::erase_if(stopped, [&](JobId job) {
    const Placement& held = state.job(job).where;
    pool.take(held);
    const bool may_stay = pool.place(gpus).has_value();
    if (may_stay)
      spared.push_back(job);
    else
      pool.give(held);
    return may_stay;
  });
  return spared;
}

}  // namespace

Eviction find_eviction(Pool& pool, std::uint32_t gpus, const State& state,
                       const std::function<std::optional<JobId>()>& next_victim) {
  std::vector<JobId> stopped;
  while (!pool.place(gpus)) {
    const auto victim = next_victim();
    if (!victim) break;
    stopped.push_back(*victim);
    pool.give(state.job(*victim).where);
  }
  std::vector<JobId> spared;
  Eviction eviction;
  if (pool.place(gpus)) {
    spared = spare_who_may_stay(pool, gpus, state, stopped);
    eviction = {stopped, *pool.place(gpus)};
    for (const JobId job : spared) pool.give(state.job(job).where);
  }
  for (const JobId job : stopped) pool.take(state.job(job).where);
  for (const JobId job : spared) pool.take(state.job(job).where);
  return eviction;
}

}  // namespace penstock
