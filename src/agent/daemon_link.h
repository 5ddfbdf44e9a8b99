#pragma once

#include <string>
#include <string_view>

#include "agent/plan.h"
#include "base/result.h"
#include "base/time.h"

namespace penstock::agent {

/// Where the daemon is and who asks it.
struct DaemonLink {
  std::string url{};                            ///< such as http://10.0.0.1:7323
  std::string node{};                           ///< letters, digits, '.', '_' and '-'
  std::string token{};                          ///< empty: none
  Duration patience = std::chrono::seconds(3);  ///< to connect, to send, and for the answer
};

/// Whether it is scheme, host and port, and nothing else.
Result<Done> check_url(const std::string& url);
/// Whether it can stand in a path: letters, digits, '.', '_' and '-'.
bool is_node_name(std::string_view text);
/// The first line of a file that nobody but its owner and group may read.
Result<std::string> read_token(const std::string& path);

/// Sends a report and gets the plan for it. Fails in bounded time, whatever the other side does.
Result<Plan> ask_daemon(const DaemonLink& link, const std::string& report);
/// A plan from a file, in place of a daemon's.
Result<Plan> read_plan_file(const std::string& path);

}  // namespace penstock::agent
