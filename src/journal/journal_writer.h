#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace penstock {

/// What became of a request to a backend.
enum class RequestState : std::uint8_t {
  sent,       ///< or about to be
  confirmed,  ///< the backend shows what was asked for
  refused,    ///< the backend said no
  lost,       ///< there was no answer; what the backend shows next counts
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

struct JournalAnswer {
  std::int64_t request = 0;
  RequestState state = RequestState::confirmed;
  std::string text{};
  Time when{};
};

/// Writes the journal. What was written survives a crash once write() has returned.
class JournalWriter {
 public:
  virtual ~JournalWriter() = default;
  /// Writes entries, then requests, then answers, all or nothing. Sets the ids of entries and
  /// requests.
  virtual Result<Done> write(std::span<JournalEntry> entries, std::span<JournalRequest> requests,
                             std::span<const JournalAnswer> answers) = 0;
};

}  // namespace penstock
