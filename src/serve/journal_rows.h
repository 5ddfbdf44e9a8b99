#pragma once

#include <string_view>
#include <vector>

#include "live/scribe.h"
#include "serve/sqlite.h"

namespace penstock {

/// How statements begin whose rows are read by the functions below.
inline constexpr std::string_view kSelectEntries =
    "SELECT id, when_ms, site, job, what, detail FROM entries";
inline constexpr std::string_view kSelectRequests =
    "SELECT id, when_ms, site, job, verb, detail, reason, state, answer, answered_ms FROM requests";

/// All rows of a statement whose question marks are bound.
Result<std::vector<JournalEntry>> read_entries(Statement select);
Result<std::vector<JournalRequest>> read_requests(Statement select);

}  // namespace penstock
