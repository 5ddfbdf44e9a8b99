#pragma once

#include <map>
#include <string>

#include "engine/backend.h"
#include "live/reasons.h"

namespace penstock {

/// The reason of each action of a decision, for people: the name of the policy and its reason for
/// the job, or for the whole decision. Jobs have the backend's names.
Reasons reasons_of(const Decision& decision, const std::string& policy, const State& state);

/// The last reason of a policy for each job that waits. Kept in memory only: a policy soon states
/// it again.
class WaitReasons {
 public:
  struct Reason {
    Time when{};
    std::string text{};
  };
  /// Removes the jobs that have started, ended or are withdrawn.
  void update(const Batch& batch);
  /// Adds the reasons for jobs that the decision does not act on.
  void update(Time now, const Decision& decision, const State& state);
  /// A start of the job was refused for this reason.
  void refuse(Time now, JobId job, const std::string& why) {
    reasons_[job] = {now, "could start, but " + why};
  }
  void forget(JobId job) { reasons_.erase(job); }

  /// Null if there is no reason.
  const Reason* find(JobId job) const;

 private:
  std::map<JobId, Reason> reasons_;
};

}  // namespace penstock
