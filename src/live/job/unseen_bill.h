#pragma once

#include <span>

#include "live/job/tracked_job.h"
#include "model/bill.h"
#include "model/site_signals.h"

namespace penstock {

/// The correction of an ended job's bill. `billed` covers only the time in which its runs were
/// watched. Added is what they used before that; subtracted, what was billed between the end of the
/// job and the poll that showed it. Prices are those of the time. A GPU is taken to have drawn its
/// average while watched (at most twice `usual_draw`), or `usual_draw` if it never was watched. The
/// corrected energy is never below 0.
Bill unseen_bill(std::span<const LiveRun> runs, const Bill& billed, const SiteSignals& signals,
                 Watts usual_draw);

}  // namespace penstock
