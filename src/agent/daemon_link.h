#pragma once

#include <string>
#include <string_view>

#include "agent/plan.h"
#include "base/result.h"
#include "base/time.h"

namespace penstock::agent {

/// The address of the daemon, and the node that asks it.
struct DaemonLink {
  std::string url{};                           ///< such as http://10.0.0.1:7323
  std::string node{};                          ///< letters, digits, '.', '_' and '-'
  std::string token{};                         ///< empty: none
  Duration timeout = std::chrono::seconds(3);  ///< to connect, to send, and for the answer
};

/// Checks that a URL is scheme, host and port, and nothing else.
Result<Done> check_url(const std::string& url);
/// Whether a text is made of letters, digits, '.', '_' and '-', so that it can be part of a path.
bool is_node_name(std::string_view text);
/// The first line of a file that nobody but its owner and group may read.
Result<std::string> read_token(const std::string& path);

/// Sends a report and gets the plan for it. Fails in bounded time, whatever the daemon does.
Result<ClockPlan> ask_daemon(const DaemonLink& link, const std::string& report);
/// Reads a plan from a file instead of asking a daemon.
Result<ClockPlan> read_plan_file(const std::string& path);

}  // namespace penstock::agent
