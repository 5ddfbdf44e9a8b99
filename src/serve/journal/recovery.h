#pragma once

#include <span>

#include "live/site/slurm_site.h"
#include "serve/journal/journal_reader.h"

namespace penstock {

/// Tells sites what earlier lives of ours wrote of jobs that may still be there: of those whose end
/// is not written all that the journal has, however old; of others that they have ended, if that
/// was lately.
Result<Done> restore_jobs(JournalReader& journal, std::span<SlurmSite* const> sites, Time now);

/// Marks requests that were open when the daemon ended as lost: they may have been done or not.
Result<Done> close_open_requests(Journal& journal, Time now);

}  // namespace penstock
