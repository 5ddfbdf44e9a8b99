#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"

namespace penstock {

/// A job by its cluster's number.
struct NumberedJob {
  std::string site{};
  std::int64_t number = 0;
};

/// Reads a journal without changing it, also while the daemon writes.
class JournalReader {
 public:
  /// Refuses a file that is no journal, or of a later version.
  static Result<JournalReader> open(const std::filesystem::path& path);

  /// The entries with this word, from the oldest on, until one says false.
  Result<Done> each(std::string_view what, const std::function<bool(const JournalEntry&)>& visit);
  /// The entries with this word, from the oldest on, whose job has not ended since. Passes over
  /// journals of version 1. Ends when a visit returns false.
  Result<Done> each_of_unended(std::string_view what,
                               const std::function<bool(const JournalEntry&)>& visit);
  /// The entries with this word since some time, from the latest back.
  Result<Done> latest(std::string_view what, Time since,
                      const std::function<bool(const JournalEntry&)>& visit);
  /// The last so many entries with this word, from the newest on, of one job if it is named.
  Result<std::vector<JournalEntry>> last_entries(std::string_view what, std::int64_t most,
                                                 const std::optional<NumberedJob>& about);
  /// The last so many requests, from the newest on, of one job if it is named.
  Result<std::vector<JournalRequest>> last_requests(std::int64_t most,
                                                    const std::optional<NumberedJob>& about);
  /// How many jobs wait for a site: no cluster has taken them, and they were not cancelled.
  Result<std::uint64_t> jobs_in_pool();
  /// How many jobs have entries, but none of their end.
  Result<std::uint64_t> jobs_not_ended();

 private:
  JournalReader(Database database, std::string file)
      : database_(std::move(database)), file_(std::move(file)) {}
  Result<Done> check_version();
  Result<std::uint64_t> count(const std::string& sql);
  Result<Done> visit_all(std::string_view what, Statement& select,
                         const std::function<bool(const JournalEntry&)>& visit) const;

  Database database_;
  std::string file_;
};

}  // namespace penstock
