#pragma once

#include <span>

#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "live/job/job_pool.h"
#include "live/site/slurm_site.h"

namespace penstock {

/// Restores what earlier daemon processes wrote about jobs that Slurm may still show: everything
/// about jobs without an entry of their end, however old, and the recent ends of others.
Result<Done> restore_jobs(JournalReader& journal, std::span<SlurmSite* const> sites, Time now);

/// Restores the jobs that an earlier daemon process had in its pool and, by the journal, no cluster
/// has taken.
Result<Done> restore_pool(Journal& journal, JobPool& pool);

/// Marks requests that were open when the daemon ended as lost: they may have been carried out or
/// not.
Result<Done> close_open_requests(Journal& journal, Time now);

}  // namespace penstock
