#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/api/api.h"

namespace penstock {

/// Whether a host is "127.0.0.1", "::1", "localhost" or another loopback name.
bool is_loopback(std::string_view host);

/// Who may read and who may write.
class AccessControl {
 public:
  struct Rules {
    std::string host{};                ///< that is listened on
    std::vector<std::string> names{};  ///< of this machine, beside loopback's and `host`
    std::string token{};               ///< empty: there is none, and nobody may write
  };
  /// Refuses to listen beyond loopback without a token.
  static Result<AccessControl> make(Rules rules);

  struct AccessRequest {
    std::string_view host{};           ///< as the request calls us
    std::string_view authorization{};  ///< "Bearer ...", or empty
    bool writes = false;
    bool is_shell = false;  ///< asks for a page without data, which then asks with the token
  };
  /// The response that refuses the request; nothing if it is allowed.
  std::optional<ApiResponse> refusal(const AccessRequest& request) const;

 private:
  explicit AccessControl(Rules rules, bool open)
      : rules_(std::move(rules)), reading_is_free_(open) {}
  bool is_own_name(std::string_view host) const;

  Rules rules_;
  bool reading_is_free_;
};

/// The secret in a file: its first line, without blanks around it. Refuses a file that others than
/// its owner and group can read, and secrets that are short or not printable. No error shows it.
Result<std::string> read_token(const std::filesystem::path& path);

/// Compares in constant time: its duration does not show where the two differ.
bool is_same_secret(std::string_view one, std::string_view other);

/// Limits the rate of requests of each peer by a token bucket: so many a second on average, and a
/// burst. Any thread may call it.
class RateLimit {
 public:
  /// 0 a second is without limit.
  RateLimit(double per_second, double burst) : per_second_(per_second), burst_(burst) {}

  /// `now` is in seconds, and must not go back.
  bool admit(std::string_view peer, double now);
  std::size_t known_peers() const;

 private:
  struct Bucket {
    double saved = 0;
    double when = 0;
  };
  double saved_at(const Bucket& bucket, double now) const;
  void make_room(double now);

  double per_second_;
  double burst_;
  mutable std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace penstock
