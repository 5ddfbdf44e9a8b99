#pragma once

#include <string>
#include <variant>

#include "live/job/beliefs.h"
#include "live/job/tracked_job.h"
#include "live/site/site_options.h"
#include "model/cluster.h"
#include "model/job.h"

namespace penstock {

/// What the scheduler is told of a job of Slurm's; its `id` is still to be given. Fills in what
/// `tracked` says of work and kind. Or why it is not for us: it is left to Slurm.
std::variant<Job, std::string> job_from_slurm(TrackedJob& tracked, const SiteOptions& options,
                                              const Cluster& cluster, LiveBeliefs& beliefs);

}  // namespace penstock
