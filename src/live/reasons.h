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

/// What the actions of one decision are done for.
struct Reasons {
  std::string general{};                   ///< where nothing is said of the job
  std::map<JobId, std::string> of_jobs{};  ///< in its own words

  const std::string& of(const Action& action) const {
    const auto job = job_in(action);
    const auto own = job ? of_jobs.find(*job) : of_jobs.end();
    return own == of_jobs.end() ? general : own->second;
  }
};

}  // namespace penstock
