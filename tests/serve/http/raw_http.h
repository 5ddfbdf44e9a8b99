#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace penstock {

/// A connection to loopback that sends what it is told and nothing else.
class RawHttp {
 public:
  explicit RawHttp(std::uint16_t port, const char* address = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;
  ~RawHttp() { close(socket_); }

  bool is_connected() const { return connected_; }
  bool send(std::string_view bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// What comes until the other side closes, or `end` was seen; at most for ten seconds of silence.
  std::string receive(std::string_view end = {}) {
    constexpr int kTimeout = 10'000;
    std::array<char, 4096> buffer{};
    while (end.empty() || received_.find(end) == std::string::npos) {
      pollfd asked{socket_, POLLIN, 0};
      if (poll(&asked, 1, kTimeout) <= 0) break;
      const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return received_;
  }
  void forget() { received_.clear(); }

 private:
  int socket_;
  bool connected_ = false;
  std::string received_;
};

struct RawAnswer {
  int status = 0;
  std::string headers{};
  std::string body{};
};

inline RawAnswer parse_raw(const std::string& text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
  return {std::atoi(text.c_str() + 9), text.substr(0, end), text.substr(end + 4)};
}

/// One request, `head` being its first line without the version and further headers, and its
/// answer.
inline RawAnswer ask_raw(std::uint16_t port, const std::string& line,
                         const std::string& headers = {}, const std::string& body = {}) {
  RawHttp peer(port);
  const std::string length =
      body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
  peer.send(line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + length + headers +
            "\r\n" + body);
  return parse_raw(peer.receive());
}

}  // namespace penstock
