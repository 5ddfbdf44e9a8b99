#include "serve/http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "serve/http_workers.h"

namespace penstock {
namespace {

constexpr int kBacklog = 128;  // the library's own is 5

/// Threads begun while it lives take no signals: those are for the daemon's own.
class SignalsAway {
 public:
  SignalsAway() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsAway(const SignalsAway&) = delete;
  SignalsAway& operator=(const SignalsAway&) = delete;
  ~SignalsAway() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

bool declares_body(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return true;
  return request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0";
}

/// Makes the library say "Connection: close" and forget parts of pages that were asked for.
void prepare(httplib::Request& request, bool last) {
  request.ranges.clear();
  if (!last) return;
  request.headers.erase("Connection");
  request.headers.emplace("Connection", "close");
}

}  // namespace

HttpServer::HttpServer(const HttpLimits& limits, std::size_t most_connections) : limits_(limits) {
  new_task_queue = [most_connections] {
    return new HttpWorkers(most_connections);  // NOLINT: the library deletes it
  };
  set_keep_alive_timeout(std::chrono::ceil<std::chrono::seconds>(limits.idle).count());
  set_tcp_nodelay(true);
  // Not SO_REUSEPORT, which the library sets: two daemons would share a port unnoticed.
  set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

Result<std::uint16_t> HttpServer::begin(const std::string& host, std::uint16_t port) {
  host_ = host;
  errno = 0;
  port_ = port == 0                  ? bind_to_any_port(host)
          : bind_to_port(host, port) ? static_cast<int>(port)
                                     : -1;
  if (port_ <= 0)
    return Error{fmt::format("cannot listen on {} port {}: {}", host, port,
                             errno != 0 ? std::strerror(errno) : "no such address")};
  ::listen(svr_sock_, kBacklog);
  const SignalsAway away;
  accepting_ = std::thread([this] { accept_until_end(); });
  while (!is_running()) std::this_thread::yield();
  return static_cast<std::uint16_t>(port_);
}

/// The library gives up when the system refuses one connection, such as for want of memory.
void HttpServer::accept_until_end() {
  constexpr std::chrono::milliseconds kPause{100};
  accepting_id_ = std::this_thread::get_id();
  while (!ending_) {
    listen_after_bind();
    if (ending_) break;
    std::this_thread::sleep_for(kPause);
    if (bind_to_port(host_, port_)) ::listen(svr_sock_, kBacklog);
  }
  ended_ = true;
}

void HttpServer::end() {
  if (ending_.exchange(true) || !accepting_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RD);
  }
  constexpr std::chrono::milliseconds kPause{1};
  while (!ended_) {  // it may not have begun to accept, and would not hear this once
    if (is_running() && svr_sock_ != INVALID_SOCKET) stop();
    std::this_thread::sleep_for(kPause);
  }
  accepting_.join();
}

bool HttpServer::process_and_close_socket(int socket) {
  if (std::this_thread::get_id() == accepting_id_.load()) {
    turn_away(socket);
  } else {
    {
      const std::lock_guard lock(mutex_);
      sockets_.insert(socket);
    }
    serve(socket);
    const std::lock_guard lock(mutex_);
    sockets_.erase(socket);
  }
  return close(socket) == 0;
}

void HttpServer::serve(int socket) {
  HttpStream stream(socket, limits_);
  bool carry_on = true;
  while (carry_on && !ending_ && stream.next_request()) {
    carry_on = false;  // what could not be read is followed by nobody knows what
    bool closed = false;
    const bool done = process_request(stream, false, closed, [&](httplib::Request& request) {
      carry_on = !declares_body(request);
      prepare(request, !carry_on);
    });
    carry_on = carry_on && done && !closed;
  }
  stream.drain();
}

/// No thread is left for it.
void HttpServer::turn_away(int socket) {
  constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
      "Content-Type: application/json\r\nContent-Length: 55\r\n\r\n"
      R"({"error":"too many connections: try again in a moment"})";
  std::array<char, 4096> sink{};
  send(socket, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(socket, SHUT_WR);
  recv(socket, sink.data(), sink.size(), MSG_DONTWAIT);
}

}  // namespace penstock
