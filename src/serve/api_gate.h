#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/api_source.h"

namespace penstock {

/// "127.0.0.1", "::1", "localhost" and their kin.
bool is_loopback(std::string_view host);

/// Who may read and who may write.
class ApiGate {
 public:
  struct Rules {
    std::string host{};                ///< that is listened on
    std::vector<std::string> names{};  ///< of this machine, beside loopback's and `host`
    std::string token{};               ///< empty: there is none, and nobody may write
  };
  /// Refuses to listen beyond loopback without a token.
  static Result<ApiGate> make(Rules rules);

  struct Asking {
    std::string_view host{};           ///< as the request calls us
    std::string_view authorization{};  ///< "Bearer ...", or empty
    bool writes = false;
    bool is_shell = false;  ///< asks for a page without data, which then asks with the token
  };
  /// Why not; nothing if it may.
  std::optional<ApiAnswer> refusal(const Asking& asking) const;

 private:
  explicit ApiGate(Rules rules, bool open) : rules_(std::move(rules)), reading_is_free_(open) {}
  bool is_ours(std::string_view host) const;

  Rules rules_;
  bool reading_is_free_;
};

}  // namespace penstock
