#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "serve/sqlite.h"

namespace penstock {

/// What became of a request to a backend.
enum class RequestState : std::uint8_t {
  sent,       ///< or about to be
  confirmed,  ///< the backend shows what was asked for
  refused,    ///< the backend said no
  lost,       ///< nothing was heard of it; what the backend shows next counts
};
std::string_view name_of(RequestState state);

/// Something that was seen, or decided. `what` is a word, `detail` JSON.
struct JournalEntry {
  std::int64_t id = 0;  ///< given by the journal
  Time when{};
  std::string site{};
  std::optional<std::int64_t> job{};  ///< the backend's number, if it is about one
  std::string what{};
  std::string detail{};
};

struct JournalRequest {
  std::int64_t id = 0;  ///< given by the journal
  Time when{};
  std::string site{};
  std::optional<std::int64_t> job{};
  std::string verb{};
  std::string detail{};  ///< JSON
  std::string reason{};  ///< why it was decided
  RequestState state = RequestState::sent;
  std::string answer{};
  std::optional<Time> answered{};
};

/// All that the daemon has seen, decided and asked for, in the order in which it did, in one SQLite
/// file (write-ahead log). What write() has returned from survives a kill and a power cut. Texts
/// are stored as they are; nothing in them is taken for SQL.
class Journal {
 public:
  static constexpr std::int64_t kVersion = 1;

  /// Makes the file, or brings an older one up to date. One of a later version is refused.
  static Result<Journal> open(const std::filesystem::path& path);

  /// All or nothing, in one go: entries first. Gives them their numbers.
  Result<Done> write(std::span<JournalEntry> entries, std::span<JournalRequest> requests);
  Result<Done> answer(std::int64_t request, RequestState state, std::string_view answer, Time when);

  /// From the oldest on; those about one job, if it is named.
  Result<std::vector<JournalEntry>> entries(const std::optional<std::string>& site = std::nullopt,
                                            std::optional<std::int64_t> job = std::nullopt);
  Result<std::vector<JournalRequest>> requests(
      const std::optional<std::string>& site = std::nullopt,
      std::optional<std::int64_t> job = std::nullopt);
  /// Whose answer is not known.
  Result<std::vector<JournalRequest>> open_requests();

  /// Forgets what is older, but requests that are still open.
  Result<Done> forget_before(Time when);

 private:
  explicit Journal(Database database) : database_(std::move(database)) {}
  Result<Done> migrate();
  Result<Done> write_entries(std::span<JournalEntry> entries);
  Result<Done> write_requests(std::span<JournalRequest> requests);
  Result<std::vector<JournalRequest>> read_requests(Statement statement);

  Database database_;
};

}  // namespace penstock
