#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "live/job/job_pool.h"
#include "serve/api/job_view.h"

namespace penstock {

/// A job of the pool as the API shows it.
nlohmann::ordered_json pooled_json(const PooledJob& job, const SchedulerSnapshot& snapshot);
/// Why it is not at a site yet.
std::string pool_wait_reason(const PooledJob& job, const SchedulerSnapshot& snapshot);
/// The number in "pool/7".
std::optional<std::int64_t> parse_pool_id(const std::string& id);

/// The cluster's job that a job of the pool has become, by the journal, also once it has ended;
/// nothing if no cluster has taken it.
Result<std::optional<NumberedJob>> find_placed_job(Journal& journal, std::int64_t number);

}  // namespace penstock
