#include "serve/http_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the socket is ready for `events` before the deadline.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<Duration>(deadline - Clock::now());
    if (left <= Duration::zero()) return false;
    pollfd asked{.fd = socket, .events = events, .revents = 0};
    const int ready =
        poll(&asked, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool may_pass() {
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

using NameOf = int(int, sockaddr*, socklen_t*);

void address(int socket, NameOf& name_of, std::string& ip, int& port) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* const generic = reinterpret_cast<sockaddr*>(&storage);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (name_of(socket, generic, &length) != 0) return;
  if (getnameinfo(generic, length, host.data(), host.size(), service.data(), service.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return;
  ip = host.data();
  port = std::atoi(service.data());  // NOLINT(cert-err34-c): the system wrote it
}

}  // namespace

HttpStream::HttpStream(int socket, const HttpLimits& limits) : socket_(socket), limits_(limits) {}

bool HttpStream::fill(Clock::time_point deadline) {
  while (wait_for(socket_, POLLIN, deadline)) {
    const ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && may_pass()) continue;
    if (got <= 0) return false;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
    return true;
  }
  return false;
}

bool HttpStream::next_request() {
  if (begin_ == end_ && !fill(Clock::now() + limits_.idle)) return false;
  deadline_ = Clock::now() + limits_.request;
  allowed_ = limits_.largest_request;
  return true;
}

void HttpStream::drain() {
  constexpr Duration kPatience{500};
  constexpr int kMostFills = 256;
  shutdown(socket_, SHUT_WR);
  const auto deadline = Clock::now() + kPatience;
  for (int fills = 0; fills < kMostFills && fill(deadline); ++fills) continue;
}

bool HttpStream::is_readable() const {
  return begin_ < end_;
}

bool HttpStream::is_writable() const {
  return wait_for(socket_, POLLOUT, Clock::now() + limits_.write);
}

ssize_t HttpStream::read(char* into, std::size_t size) {
  if (size == 0) return 0;
  if (allowed_ == 0) return -1;
  if (begin_ == end_ && !fill(deadline_)) return -1;
  const std::size_t taken = std::min({size, end_ - begin_, allowed_});
  std::memcpy(into, buffer_.data() + begin_, taken);
  begin_ += taken;
  allowed_ -= taken;
  return static_cast<ssize_t>(taken);
}

ssize_t HttpStream::write(const char* bytes, std::size_t size) {
  const auto deadline = Clock::now() + limits_.write;
  std::size_t sent = 0;
  while (sent < size) {
    const ssize_t now = send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (now < 0 && !may_pass()) return -1;
    if (now < 0 && !wait_for(socket_, POLLOUT, deadline)) return -1;
    if (now > 0) sent += static_cast<std::size_t>(now);
    if (Clock::now() >= deadline && sent < size) return -1;
  }
  return static_cast<ssize_t>(sent);
}

void HttpStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  address(socket_, getpeername, ip, port);
}

void HttpStream::get_local_ip_and_port(std::string& ip, int& port) const {
  address(socket_, getsockname, ip, port);
}

}  // namespace penstock
