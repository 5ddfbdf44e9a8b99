#pragma once

#include <string>
#include <variant>

#include "live/job/beliefs.h"
#include "live/job/tracked_job.h"
#include "live/site/site_options.h"
#include "model/cluster.h"
#include "model/job.h"

namespace penstock {

/// Makes the scheduler's job of a job that Slurm shows; the caller sets its `id`. Fills in work and
/// kind of `tracked`. Returns the reason instead if the job is left to Slurm.
std::variant<Job, std::string> job_from_slurm(TrackedJob& tracked, const SiteOptions& options,
                                              const Cluster& cluster, LiveBeliefs& beliefs);

}  // namespace penstock
