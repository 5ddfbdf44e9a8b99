#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
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
  /// Reads and discards what the peer still sends, for a moment: closing a socket with unread bytes
  /// may lose the response.
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

/// Threads for connections, made when they are needed and at most so many. If no thread is free
/// soon, enqueue() runs the task itself.
class HttpThreadPool final : public httplib::TaskQueue {
 public:
  explicit HttpThreadPool(std::size_t most) : most_(most) {}

  void enqueue(std::function<void()> task) override;
  /// Ends when all tasks have.
  void shutdown() override;

 private:
  /// Whether a thread takes it.
  bool try_enqueue(std::function<void()>& task);
  bool start_thread();
  void work();

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable freed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ends_ = false;
};

/// The library's server with bounds: threads, time and bytes of a request. After a request with a
/// body the connection is closed, so that no byte of it is ever taken for the next request.
class HttpServer final : public httplib::Server {
 public:
  HttpServer(const HttpLimits& limits, std::size_t most_connections);
  ~HttpServer() override { end(); }

  /// Binds and begins; 0 is any free port. The error says why it cannot.
  Result<std::uint16_t> begin(const std::string& host, std::uint16_t port);
  /// Ends idle connections, waits for the others, and for all threads.
  void end();

 private:
  bool process_and_close_socket(int socket) override;
  void accept_until_end();
  void serve(int socket);
  static void reject_busy(int socket);

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
