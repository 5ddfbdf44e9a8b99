#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace CLI {
class App;
}

namespace penstock {

/// Which daemon is meant, and who asks.
struct DaemonAddress {
  std::string url{};         ///< --daemon, else PENSTOCK_DAEMON, else this machine's
  std::string token_file{};  ///< --token-file, else PENSTOCK_TOKEN_FILE, else none
};

void add_daemon_options(CLI::App& command, DaemonAddress& choice);

/// What the daemon answers. The error is what to tell the user: there is no daemon, the token is
/// missing or wrong, or what the daemon has said, made fit for a terminal.
Result<nlohmann::ordered_json> get_from_daemon(const DaemonAddress& choice,
                                               const std::string& target);
Result<nlohmann::ordered_json> post_to_daemon(const DaemonAddress& choice,
                                              const std::string& target,
                                              const nlohmann::ordered_json& body);

/// "/api/v1/jobs/east/12", whatever the id is made of.
std::string job_path(std::string_view id);

/// A member as a person reads it, fit for a terminal: "-" where there is none, lists with commas.
std::string member_text(const nlohmann::ordered_json& object, std::string_view key);

/// For --json: as the daemon said it, but all in ASCII.
void print_json(const nlohmann::ordered_json& answer);

}  // namespace penstock
