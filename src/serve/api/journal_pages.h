#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "serve/api/api.h"

namespace penstock {

/// The page of decisions that were made, or would have been, the latest first; of one job, if it is
/// named. Reads the file alone.
ApiResponse decisions_page(const std::filesystem::path& journal, const ApiQuery& look,
                           const std::optional<NumberedJob>& about);

/// A job that has ended, with its bill, as the API shows it (docs/formats/api.md), by the journal's
/// entry "ended"; nothing if that cannot be read. `currency` may be empty.
std::optional<nlohmann::ordered_json> ended_row(const JournalEntry& entry,
                                                const std::string& currency);

/// The last entry "ended" of a job.
Result<std::optional<JournalEntry>> ended_entry(Journal& journal, const std::string& site,
                                                std::int64_t job);

/// The page of jobs that have ended lately, the latest first. Reads the file alone.
ApiResponse ended_page(const std::filesystem::path& journal, const ApiQuery& look,
                       const std::string& currency);

}  // namespace penstock
