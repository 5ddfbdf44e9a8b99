#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "serve/api/api.h"
#include "serve/http/event_feed.h"

namespace penstock {

/// Where the daemon listens and where commands look for it.
inline constexpr std::uint16_t kDaemonPort = 7323;

struct ApiOptions {
  std::string host = "127.0.0.1";    ///< an address of this machine
  std::uint16_t port = kDaemonPort;  ///< 0: any that is free
  /// Without one nothing can be written, and only loopback is listened on.
  std::filesystem::path token_file{};
  /// Further names that a request's Host header may give, beside loopback names and `host`. Others
  /// are refused, so that a web page cannot reach the daemon under a name of its own (DNS
  /// rebinding). Checked only where reading needs no token.
  std::vector<std::string> names{};
  /// The page at GET /, which must outlive the server and contains its own content security policy.
  /// It has no data and needs no token. Empty: a few links.
  std::string_view home{};

  std::size_t largest_body = 1 << 20;   ///< bytes
  double requests_per_second = 4000;    ///< of one peer, on average; 0: as many as it likes
  double burst = 8000;                  ///< that it may save up
  std::size_t most_connections = 128;   ///< each has a thread; whoever comes later is told to retry
  std::size_t most_event_readers = 32;  ///< of these connections
  Duration idle_timeout{5'000};         ///< until a request begins
  Duration request_timeout{10'000};     ///< from its first byte to its last
  Duration write_timeout{10'000};       ///< until a peer has taken what is sent at once
  Duration event_beat{15'000};          ///< a sign of life for readers of the event feed
};

/// The HTTP side of the daemon: docs/formats/api.md is its contract. Has threads of its own, which
/// call the handler; both handler and feed must outlive it.
class ApiServer {
 public:
  /// Listens when it returns. The error says what to change.
  static Result<ApiServer> start(ApiHandler& handler, EventFeed& feed, const ApiOptions& options);

  ApiServer(ApiServer&&) noexcept;
  ApiServer& operator=(ApiServer&&) noexcept;
  /// Stops.
  ~ApiServer();

  std::uint16_t port() const;
  /// Answers what it is working on, closes all connections, and ends its threads.
  void stop();

 private:
  class Running;
  explicit ApiServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

/// The content security policy of responses that are not pages: a browser may only show them.
inline constexpr std::string_view kDefaultContentPolicy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// The content security policy header of a page: the policy in the page's own
/// http-equiv="Content-Security-Policy", and no other page may embed it. The policy of responses
/// that are not pages if it has none.
std::string content_policy_of(std::string_view page);

}  // namespace penstock
