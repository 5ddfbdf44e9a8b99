#pragma once

#include <span>

#include "live/job/tracked_job.h"
#include "model/bill.h"
#include "model/site_signals.h"

namespace penstock {

/// What is missing in the bill of an ended job, which was kept while its runs were watched: what
/// they used before, and less than nothing for the time between the job's end and the news of it.
/// At the prices of the time; each GPU drew what it did on average while it was watched, or
/// `usual_draw` if it never was.
Bill unseen_bill(std::span<const LiveRun> runs, const Bill& billed, const SiteSignals& signals,
                 Watts usual_draw);

}  // namespace penstock
