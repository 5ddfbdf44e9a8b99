#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "journal/journal_writer.h"

namespace penstock {

/// One line of JSON on stderr: {"when":…,"level":…,"what":…,"text":…}. Contains no secrets.
void log_line(Time now, std::string_view level, std::string_view what, std::string_view text);

/// A line that is JSON already.
void log_json(const std::string& line);

/// Passes everything on to another writer, and logs what was written about jobs: at most one line
/// of JSON for each entry, request and answer, so that log and journal agree.
class JobLog final : public JournalWriter {
 public:
  using WriteLine = std::function<void(const std::string& line)>;
  /// `inner` must outlive it.
  JobLog(JournalWriter& inner, WriteLine write_line)
      : inner_(inner), write_line_(std::move(write_line)) {}

  Result<Done> write(std::span<JournalEntry> entries, std::span<JournalRequest> requests,
                     std::span<const JournalAnswer> answers) override;

 private:
  /// By site and number.
  using JobKey = std::pair<std::string, std::int64_t>;
  struct Open {
    std::string site{};
    std::optional<std::int64_t> job{};
    std::string text{};
  };
  void log_entry(const JournalEntry& entry);
  void log_request(const JournalRequest& request);
  void log_answer(const JournalAnswer& answer);
  std::string user_of(const std::string& site, const std::optional<std::int64_t>& job) const;

  JournalWriter& inner_;
  WriteLine write_line_;
  std::map<JobKey, std::string> users_;  ///< of jobs that have not ended
  std::map<std::int64_t, Open> open_;    ///< requests that are not answered yet
};

/// "start on n1 n2 with 8 GPUs": what was asked for, as far as the request says it.
std::string request_text(const JournalRequest& request);

}  // namespace penstock
