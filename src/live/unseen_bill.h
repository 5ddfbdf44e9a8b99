#pragma once

#include <span>

#include "live/tracked_job.h"
#include "model/bill.h"
#include "model/site_signals.h"

namespace penstock {

/// What runs used before `since`, when nobody kept their bill: at the prices of the time, each GPU
/// drawing what it drew on average in what was billed of the same runs later. Nothing if nothing
/// was.
Bill bill_before(Time since, std::span<const LiveRun> runs, const Bill& billed,
                 const SiteSignals& signals);

}  // namespace penstock
