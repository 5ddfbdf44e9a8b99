#include <algorithm>
#include <optional>
#include <utility>

#include "policies/order/list_policy.h"

namespace penstock {

bool ListPolicy::start_by_preempting(Note& note, const View& view, Decision& decision) {
  for (std::uint32_t pool = 0; pool < room_.pools(); ++pool) {
    if (!room_.suits(pool, queue_.shelf(note.item.shelf).gpu_types)) continue;
    const std::uint32_t within_reach =
        room_.pool(pool).free() + victims_.gpus_above(pool, spared_rank(note));
    if (within_reach < note.gpus) continue;
    const Eviction eviction = evict_for(note, pool, view);
    if (eviction.where.empty()) continue;
    say_evicting(note, eviction.victims, view, decision);
    for (const JobId job : eviction.victims) {
      forget_run(job, view.state.job(job).where);
      preempted_.push_back(job);
      decision.actions.emplace_back(Preempt{job});
    }
    start(note, {pool, eviction.where}, view, decision);
    return true;
  }
  return false;
}

std::int64_t ListPolicy::spared_rank(const Note& note) const {
  if (order_.preemption == Preemption::higher_level) return note.level;
  return (now_ + note.item.request).time_since_epoch().count();
}

ListPolicy::Eviction ListPolicy::evict_for(const Note& note, std::uint32_t pool, const View& view) {
  Pool& trial = room_.pool(pool);
  std::vector<JobId> stopped = stop_until_placeable(note, pool, view);
  std::vector<JobId> spared;
  Eviction eviction;
  if (trial.place(note.gpus)) {
    spared = spare_who_may_stay(note, trial, view, stopped);
    eviction = {stopped, *trial.place(note.gpus)};
    for (const JobId job : spared) trial.give(view.state.job(job).where);
  }
  for (const JobId job : stopped) trial.take(view.state.job(job).where);
  for (const JobId job : spared) trial.take(view.state.job(job).where);
  return eviction;
}

/// Gives back in the pool what running jobs hold, the worst first, until the job could
/// be placed or nobody worse is left.
std::vector<JobId> ListPolicy::stop_until_placeable(const Note& note, std::uint32_t pool,
                                                    const View& view) {
  Pool& trial = room_.pool(pool);
  std::vector<JobId> stopped;
  std::optional<Victims::Rank> last;
  while (!trial.place(note.gpus)) {
    const auto* worst = victims_.worst(pool, spared_rank(note), last ? &*last : nullptr);
    if (worst == nullptr) break;
    last = *worst;
    if (notes_.at(last->id).started == now_) continue;  // it has only just been given its GPUs
    stopped.push_back(JobId{last->id});
    trial.give(view.state.job(stopped.back()).where);
  }
  return stopped;
}

/// Takes out of `stopped` whoever is not in the way after all, the last to be stopped
/// first; they hold their GPUs in the pool again.
std::vector<JobId> ListPolicy::spare_who_may_stay(const Note& note, Pool& trial, const View& view,
                                                  std::vector<JobId>& stopped) {
  std::vector<JobId> spared;
  std::ranges::reverse(stopped);
  std::erase_if(stopped, [&](JobId job) {
    const Placement& held = view.state.job(job).where;
    trial.take(held);
    const bool may_stay = trial.place(note.gpus).has_value();
    if (may_stay)
      spared.push_back(job);
    else
      trial.give(held);
    return may_stay;
  });
  return spared;
}

}  // namespace penstock
