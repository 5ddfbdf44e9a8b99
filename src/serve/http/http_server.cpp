#include "serve/http/http_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

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
    return new HttpThreadPool(most_connections);  // NOLINT: the library deletes it
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
    reject_busy(socket);
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
void HttpServer::reject_busy(int socket) {
  constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
      "Content-Type: application/json\r\nContent-Length: 55\r\n\r\n"
      R"({"error":"too many connections: try again in a moment"})";
  std::array<char, 4096> sink{};
  send(socket, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(socket, SHUT_WR);
  recv(socket, sink.data(), sink.size(), MSG_DONTWAIT);
}

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
  constexpr Duration kTimeout{500};
  constexpr int kMostFills = 256;
  shutdown(socket_, SHUT_WR);
  const auto deadline = Clock::now() + kTimeout;
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

void HttpThreadPool::enqueue(std::function<void()> task) {
  if (!try_enqueue(task)) task();
}

bool HttpThreadPool::try_enqueue(std::function<void()>& task) {
  constexpr std::chrono::milliseconds kTimeout{20};  // a thread may just be done
  std::unique_lock lock(mutex_);
  const auto has_room = [this] { return idle_ > tasks_.size(); };
  if (!has_room() && !start_thread() && !freed_.wait_for(lock, kTimeout, has_room)) return false;
  tasks_.push_back(std::move(task));
  came_.notify_one();
  return true;
}

/// Adds a thread, which counts as idle from now on.
bool HttpThreadPool::start_thread() {
  if (threads_.size() >= most_) return false;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // the machine has no more
    return false;
  }
  ++idle_;
  return true;
}

void HttpThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    came_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    --idle_;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
    ++idle_;
    freed_.notify_one();
  }
}

void HttpThreadPool::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace penstock
