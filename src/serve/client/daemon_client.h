#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/api/api.h"

namespace penstock {

/// Asks a daemon. Follows nobody who points elsewhere, so that the token goes to no other.
class DaemonClient {
 public:
  /// "http://127.0.0.1:7323" or "https://..."; the token may be empty.
  static Result<DaemonClient> make(std::string_view url, std::string token);

  /// Whatever the daemon says, with its status; the error says that there is none.
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

}  // namespace penstock
