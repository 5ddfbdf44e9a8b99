#pragma once

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/result.h"
#include "serve/http_stream.h"

namespace penstock {

/// The library's server with bounds: threads, time and bytes of a request. After a request with a
/// body the connection is closed, so that no byte of it is ever taken for the next request.
class HttpServer final : public httplib::Server {
 public:
  HttpServer(const HttpLimits& limits, std::size_t most_connections);
  ~HttpServer() override { end(); }

  /// Binds and begins; 0 is any free port. The error says why it cannot.
  Result<std::uint16_t> begin(const std::string& host, std::uint16_t port);
  bool is_ending() const { return ending_; }
  /// Ends idle connections, waits for the others, and for all threads.
  void end();

 private:
  bool process_and_close_socket(int socket) override;
  void accept_until_end();
  void serve(int socket);
  static void turn_away(int socket);

  HttpLimits limits_;
  std::string host_;
  int port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<std::thread::id> accepting_id_;
  std::thread accepting_;
  std::mutex mutex_;
  std::set<int> sockets_;  ///< of connections that are served
};

}  // namespace penstock
