#pragma once

#include <map>
#include <string>

#include "live/tracked_job.h"
#include "model/state.h"
#include "serve/wait_reasons.h"

namespace penstock {

/// What the scheduler knows of jobs at one moment, for a page of them.
class JobSight {
 public:
  JobSight() = default;
  /// Both must outlive it, if there are any.
  JobSight(Time now, const State* state, const WaitReasons* waits = nullptr)
      : now_(now), state_(state), waits_(waits) {}

  Time now() const { return now_; }
  /// Null if the scheduler does not know the job.
  const JobState* believed(const TrackedJob& job) const {
    return job.id && state_ != nullptr ? state_->find(*job.id) : nullptr;
  }
  /// What the policy said last of a job that waits; empty if nothing.
  std::string said_of(JobId job) const;
  /// The same, or by numbers of GPUs; empty if the job does not wait for a turn.
  std::string why_waiting(const JobState& job, SiteId site) const;

 private:
  /// Of nodes that are up, the GPUs of these types that nobody holds.
  std::uint32_t free_gpus(SiteId site, std::uint64_t gpu_types) const;

  Time now_{};
  const State* state_ = nullptr;
  const WaitReasons* waits_ = nullptr;
  mutable std::map<std::pair<SiteId, std::uint64_t>, std::uint32_t> free_;  ///< counted once
};

}  // namespace penstock
