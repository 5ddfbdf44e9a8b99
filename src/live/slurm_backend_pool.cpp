// Jobs that any site may take.
#include <algorithm>

#include "live/job_from_slurm.h"
#include "live/slurm_backend.h"

namespace penstock {

Result<Done> SlurmBackend::pool_up(PooledJob job) {
  std::string why = "there is no site";
  for (const auto& each : sites_) {
    TrackedJob tracked{.seen = job.as_slurm};
    const auto made =
        job_from_slurm(tracked, each->site.options(), around_.cluster, around_.beliefs);
    if (const auto* reason = std::get_if<std::string>(&made)) {
      why = *reason;
      continue;
    }
    pool_.add(std::move(job));
    return Done{};
  }
  return Error{why};
}

bool SlurmBackend::take_back(std::int64_t pooled) {
  PooledJob* job = pool_.find(pooled);
  if (job == nullptr || job->at) return false;
  if (job->id) events_.emplace_back(JobWithdrawn{*job->id});
  pool_.remove(pooled);
  return true;
}

/// A job of an earlier life of ours is told once it is sure that no cluster has it: those that were
/// asked to take it show what they have.
void SlurmBackend::tell_pooled(Time /*now*/) {
  for (auto& [number, job] : pool_.jobs()) {
    if (job.id || job.at) continue;
    const bool may_be_there = std::ranges::any_of(sites_, [&](const auto& each) {
      return job.asked.contains(each->site.options().name) && !each->site.has_looked();
    });
    if (may_be_there) continue;
    for (const auto& each : sites_) {
      TrackedJob tracked{.seen = job.as_slurm};
      auto made = job_from_slurm(tracked, each->site.options(), around_.cluster, around_.beliefs);
      if (std::holds_alternative<std::string>(made)) continue;
      Job& told = std::get<Job>(made);
      told.id = numbers_.next();
      told.name = "pool/" + std::to_string(number);
      told.home = kNoSite;
      pool_.tell(job, told.id);
      events_.emplace_back(JobSubmitted{told.id});
      submitted_.push_back(std::move(told));
      break;
    }
  }
}

}  // namespace penstock
