#pragma once

#include "base/result.h"
#include "io/traces/rows.h"
#include "io/traces/trace.h"

namespace penstock {

/// Makes a trace of the rows that were read: lays them on the calendar, sorts
/// them, leaves out what the options do not want, rescales arrivals, fills in
/// requests and numbers the jobs. An empty trace is an error.
///
/// Until then `parents` are indexes of earlier rows. A job that is left out
/// hands its parents on to its children.
Result<Trace> arrange(TraceRows&& rows, const TraceOptions& options);

}  // namespace penstock
