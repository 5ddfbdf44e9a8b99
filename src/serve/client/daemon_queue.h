#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/client/daemon_client.h"

namespace penstock {

/// How many jobs that have ended are asked for at most.
inline constexpr std::size_t kMostEndedJobs = 500;

/// Which jobs `penstock queue` asks for.
struct QueueQuery {
  std::string user{};  ///< empty: of all users
  std::string site{};  ///< empty: at all sites
  bool with_ended = false;
  std::uint32_t hours = 24;  ///< how far back those with_ended go
};

/// What was asked for, and whether some of the ended ones were left out.
struct DaemonQueue {
  std::vector<nlohmann::ordered_json> jobs{};
  bool more = false;
};

/// Asks a daemon for its jobs, page by page: those that run, those that wait in the order of
/// submission, those that have ended, the latest first.
Result<DaemonQueue> fetch_queue(const DaemonAddress& daemon, const QueueQuery& query);

/// Sorts jobs as fetch_queue() does.
void sort_queue(std::vector<nlohmann::ordered_json>& jobs);

/// The cells of a table for a terminal, units in its first row; with `bills` also what ended jobs
/// have used.
std::vector<std::vector<std::string>> queue_rows(const std::vector<nlohmann::ordered_json>& jobs,
                                                 bool bills);

}  // namespace penstock
