#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/time.h"
#include "journal/journal.h"
#include "live/job/tracked_job.h"
#include "live/site/slurm_site.h"
#include "model/state.h"
#include "serve/control/wait_reasons.h"

namespace penstock {

/// What the scheduler knows of jobs at one moment, for a page of them.
class SchedulerSnapshot {
 public:
  SchedulerSnapshot() = default;
  /// Both must outlive it, if there are any.
  SchedulerSnapshot(Time now, const State* state, const WaitReasons* waits = nullptr)
      : now_(now), state_(state), waits_(waits) {}

  Time now() const { return now_; }
  /// Null if the scheduler does not know the job.
  const JobState* find(const TrackedJob& job) const {
    return job.id && state_ != nullptr ? state_->find(*job.id) : nullptr;
  }
  /// The last reason of the policy for a job that waits; empty if there is none.
  std::string policy_reason(JobId job) const;
  /// Why a job waits: policy_reason(), else numbers of GPUs; empty if it does not wait for a turn.
  std::string why_waiting(const JobState& job, SiteId site) const;

 private:
  /// Of nodes that are up, the GPUs of these types that nobody holds.
  std::uint32_t free_gpus(SiteId site, std::uint64_t gpu_types) const;

  Time now_{};
  const State* state_ = nullptr;
  const WaitReasons* waits_ = nullptr;
  mutable std::map<std::pair<SiteId, std::uint64_t>, std::uint32_t> free_;  ///< counted once
};

/// A job as the API shows it (docs/formats/api.md).
nlohmann::ordered_json job_json(const TrackedJob& job, const SlurmSite& site,
                                const SchedulerSnapshot& snapshot);
/// What is shown of a job beside Slurm's own record.
struct JobStatus {
  std::string_view state{};      ///< as state_word()
  std::uint32_t gpus = 0;        ///< that it holds
  std::uint32_t gpus_asked = 0;  ///< by its user, whatever we have asked for since
  std::optional<double> clock_mhz{};
  std::optional<Time> expected_end{};
  std::optional<Time> deadline{};
  std::string why{};  ///< it is so
};
JobStatus status_of(const TrackedJob& job, const SlurmSite& site,
                    const SchedulerSnapshot& snapshot);

/// "queued", "starting", "running", "stopping" or "ended".
std::string_view job_state_name(const TrackedJob& job);

/// The history of a job by the journal, in order of time.
Result<nlohmann::ordered_json> life_json(Journal& journal, const std::string& site,
                                         std::int64_t job);

/// The history of a job by these entries and requests, in order of time.
nlohmann::ordered_json life_json(const std::vector<JournalEntry>& entries,
                                 const std::vector<JournalRequest>& requests);

/// ISO text, or null.
nlohmann::ordered_json time_json(const std::optional<Time>& when);

}  // namespace penstock
