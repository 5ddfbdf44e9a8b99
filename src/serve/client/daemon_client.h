#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/api/api.h"

namespace penstock {

/// Sends requests to a daemon. Follows no redirect, so that the token goes to no other server.
class DaemonClient {
 public:
  /// "http://127.0.0.1:7323" or "https://..."; the token may be empty.
  static Result<DaemonClient> make(std::string_view url, std::string token);

  /// The response of the daemon, with its status; the error says that no daemon answers.
  Result<ApiResponse> get(const std::string& target) const { return ask("GET", target, {}); }
  Result<ApiResponse> post(const std::string& target, const std::string& json) const {
    return ask("POST", target, json);
  }

 private:
  DaemonClient(std::string url, std::string token)
      : url_(std::move(url)), token_(std::move(token)) {}
  Result<ApiResponse> ask(const char* method, const std::string& target,
                          const std::string& json) const;

  std::string url_;
  std::string token_;
};

/// The address of a daemon, and the file of the token.
struct DaemonAddress {
  std::string url{};         ///< --daemon, else PENSTOCK_DAEMON, else this machine's
  std::string token_file{};  ///< --token-file, else PENSTOCK_TOKEN_FILE, else none
};

/// The answer of the daemon. The error is for the user: there is no daemon, the token is missing or
/// wrong, or the daemon's own error, made safe for a terminal.
Result<nlohmann::ordered_json> get_from_daemon(const DaemonAddress& address,
                                               const std::string& target);
/// Asks the daemon to do something, and returns or fails as get_from_daemon() does.
Result<nlohmann::ordered_json> post_to_daemon(const DaemonAddress& address,
                                              const std::string& target,
                                              const nlohmann::ordered_json& body);

/// "/api/v1/jobs/east/12"; characters that a path cannot have are encoded.
std::string job_path(std::string_view id);

/// A member as a person reads it, fit for a terminal: "-" where there is none, lists with commas.
std::string member_text(const nlohmann::ordered_json& object, std::string_view key);

}  // namespace penstock
