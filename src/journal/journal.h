#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "journal/journal_writer.h"
#include "journal/sqlite.h"

namespace penstock {

/// All that the daemon has observed, decided and requested, in order, in one SQLite file
/// (write-ahead log). What write() has returned from survives a kill and a power cut. Texts are
/// stored as they are; they are never interpreted as SQL.
class Journal final : public JournalWriter {
 public:
  static constexpr std::int64_t kVersion = 2;

  /// Makes the file, or brings an older one up to date. One of a later version is refused.
  static Result<Journal> open(const std::filesystem::path& path);

  Result<Done> write(std::span<JournalEntry> entries, std::span<JournalRequest> requests,
                     std::span<const JournalAnswer> answers = {}) override;
  Result<Done> answer(std::int64_t request, RequestState state, std::string_view answer, Time when);

  /// From the oldest on; those about one job, if it is named.
  Result<std::vector<JournalEntry>> entries(const std::optional<std::string>& site = std::nullopt,
                                            std::optional<std::int64_t> job = std::nullopt);
  Result<std::vector<JournalRequest>> requests(
      const std::optional<std::string>& site = std::nullopt,
      std::optional<std::int64_t> job = std::nullopt);
  /// The last so many requests, from the newest on.
  Result<std::vector<JournalRequest>> latest_requests(std::int64_t most);
  /// The last so many entries with this word, from the newest on.
  Result<std::vector<JournalEntry>> latest_entries(const std::string& what, std::int64_t most);
  /// About a job of the pool until a cluster has it, from the oldest on.
  Result<std::vector<JournalEntry>> pool_entries(std::int64_t number);
  /// When the first entry was written; nothing if there is none.
  Result<std::optional<Time>> beginning();
  /// Requests whose answer is not known.
  Result<std::vector<JournalRequest>> open_requests();

  /// Deletes what is older, but requests that are still open.
  Result<Done> delete_before(Time when);

 private:
  explicit Journal(Database database) : database_(std::move(database)) {}
  Result<Done> migrate();
  Result<Done> write_entries(std::span<JournalEntry> entries);
  Result<Done> write_requests(std::span<JournalRequest> requests);
  Result<Done> write_answers(std::span<const JournalAnswer> answers);

  Database database_;
};

/// How statements begin whose rows are read by the functions below.
inline constexpr std::string_view kSelectEntries =
    "SELECT id, when_ms, site, job, what, detail FROM entries";
inline constexpr std::string_view kSelectRequests =
    "SELECT id, when_ms, site, job, verb, detail, reason, state, answer, answered_ms FROM requests";

/// All rows of a statement whose question marks are bound.
Result<std::vector<JournalEntry>> read_entries(Statement select);
Result<std::vector<JournalRequest>> read_requests(Statement select);

}  // namespace penstock
