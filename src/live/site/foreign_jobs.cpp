#include "live/site/foreign_jobs.h"

#include <fmt/format.h>

#include <set>

namespace penstock {
namespace {

/// Names the GPUs of one run on one node.
std::string foreign_key(const SlurmJob& job, const SlurmJob::Held& held) {
  return fmt::format("{}@{}#{}*{}", job.ref, held.node,
                     job.started.value_or(Time{}).time_since_epoch().count(), held.indices.size());
}

}  // namespace

bool ForeignJobs::is_foreign(const SlurmJob& job) const {
  if (job.phase != SlurmJob::Phase::running) return false;
  const TrackedJob* ours = site_.jobs.find(job.ref);
  return ours == nullptr || (ours->handed_over && !ours->id);
}

void ForeignJobs::block_all(Time now) {
  for (const auto& [number, shown] : site_.shown.all())
    if (is_foreign(shown.job)) block(shown.job, now);
}

void ForeignJobs::block(const SlurmJob& job, Time now) {
  for (const SlurmJob::Held& held : job.gpus_held) {
    const std::string key = foreign_key(job, held);
    if (blocked_.contains(key) || held.indices.empty() || !site_.mirror.find(held.node)) continue;
    const auto where = feed_.find_gpus({held}, now);
    if (where)
      blocked_.emplace(key,
                       blocks_.block("other/" + key, *where, job.submitted.value_or(now), now));
  }
}

void ForeignJobs::unblock_ended() {
  std::set<std::string> still;
  for (const auto& [number, shown] : site_.shown.all())
    if (is_foreign(shown.job))
      for (const SlurmJob::Held& held : shown.job.gpus_held)
        still.insert(foreign_key(shown.job, held));
  std::erase_if(blocked_, [&](const auto& each) {
    if (still.contains(each.first)) return false;
    blocks_.unblock(each.second);
    return true;
  });
}

}  // namespace penstock
