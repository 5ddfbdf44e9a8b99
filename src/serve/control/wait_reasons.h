#pragma once

#include <map>
#include <string>

#include "engine/backend.h"
#include "live/reasons.h"

namespace penstock {

/// Why each action of a decision is done, for people: what the policy says of the job, or of the
/// whole, behind its name; jobs are called what the backend calls them.
Reasons reasons_of(const Decision& decision, const std::string& policy, const State& state);

/// What a policy has said last of jobs that wait. Kept in memory only: it is said anew soon.
class WaitReasons {
 public:
  struct Reason {
    Time when{};
    std::string text{};
  };
  /// Who has started or is gone waits no longer.
  void update(const Batch& batch);
  /// Who is spoken of and not acted on waits.
  void update(Time now, const Decision& decision, const State& state);
  /// It would have been started, but for this.
  void refuse(Time now, JobId job, const std::string& why) {
    reasons_[job] = {now, "could start, but " + why};
  }
  void forget(JobId job) { reasons_.erase(job); }

  /// Null if nothing was said.
  const Reason* find(JobId job) const;

 private:
  std::map<JobId, Reason> reasons_;
};

}  // namespace penstock
