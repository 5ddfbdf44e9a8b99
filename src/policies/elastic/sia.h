#pragma once

#include <memory>

#include "policies/elastic/elastic_policy.h"
#include "solve/choice_plan.h"

namespace penstock {

struct SiaOptions {
  Duration interval = std::chrono::seconds(60);  ///< between rounds
  double fairness = -0.5;                        ///< the power of goodputs; not 0
  double queue_penalty = 1.1;                    ///< for a job that waits; above 1
  ChoiceLimits limits{};
};

/// The part of a goodput that counts if a running job changes for it: of its age and a further
/// restart, the time that it did not spend in restarts. 1 as long as it is younger than one takes.
double restart_factor(Duration age, std::uint32_t restarts, Duration restart);

/// What a goodput, as a multiple of the least that the job could have, adds to the objective,
/// compared with leaving the job in the queue.
double sia_value(double gain, const SiaOptions& options);

/// Sia: in rounds, all jobs at once are assigned to GPU types and numbers of GPUs.
std::unique_ptr<Policy> make_sia(const PolicySetting& setting, const SiaOptions& options);

}  // namespace penstock
