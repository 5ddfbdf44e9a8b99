#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "model/event.h"

namespace penstock {

/// Why something is done, and when that was decided.
struct Cause {
  std::string reason{};
  Time when{};
};

/// An action of the scheduler's that is to be carried out.
struct ActionRequest {
  Action action{};
  Cause cause{};
};

/// The reasons of the actions of one decision.
struct Reasons {
  std::string general{};                   ///< where the job has no reason of its own
  std::map<JobId, std::string> of_jobs{};  ///< by job

  const std::string& of(const Action& action) const {
    const auto job = job_in(action);
    const auto own = job ? of_jobs.find(*job) : of_jobs.end();
    return own == of_jobs.end() ? general : own->second;
  }
};

}  // namespace penstock
