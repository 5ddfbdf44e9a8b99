#pragma once

#include <httplib.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

#include "base/time.h"

namespace penstock {

struct HttpLimits {
  std::size_t largest_request = 0;  ///< bytes, with its headers
  Duration idle{};                  ///< until a request begins
  Duration request{};               ///< from its first byte to its last
  Duration write{};                 ///< of what is sent at once
};

/// One connection. Unlike the library's own, which waits anew for every byte, it gives a whole
/// request one deadline and one size. The socket is the caller's.
class HttpStream final : public httplib::Stream {
 public:
  HttpStream(int socket, const HttpLimits& limits);

  /// Whether another request begins before the peer has idled for too long.
  bool next_request();
  /// Reads and forgets what the peer still sends, for a moment: closing a socket with bytes unread
  /// may take the answer away from the peer.
  void drain();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool fill(Clock::time_point deadline);

  int socket_;
  HttpLimits limits_;
  Clock::time_point deadline_{};
  std::size_t allowed_ = 0;  ///< bytes that this request may still have
  std::array<char, 8192> buffer_{};
  std::size_t begin_ = 0;  ///< of what was received and not read yet
  std::size_t end_ = 0;
};

}  // namespace penstock
