// Requests a second that the daemon's API answers on loopback, over connections that are kept.
// api_bench [PORT]: of a server with nothing behind it, or of the daemon that listens there.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/http/api_server.h"

namespace {

using namespace penstock;

/// As much as a daemon with a hundred jobs on its page would say.
class Source final : public ApiHandler {
 public:
  ApiResponse get(const ApiQuery& query) override {
    return {200, query.page == "jobs" ? jobs_ : state_};
  }
  ApiResponse post(const ApiCommand& /*command*/) override { return {200, "{}"}; }
  std::string metrics() override { return {}; }

 private:
  std::string state_ = R"({"mode":"live","acting":true,"paused":false,"why_not":[],"jobs":{}})";
  std::string jobs_ = "{\"jobs\":[\"" + std::string(30'000, 'x') + "\"]}";
};

bool send_all(int socket, std::string_view bytes) {
  return send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

/// How long the answer is whose beginning this is, headers included; 0 if that is not known yet.
std::size_t length_of(std::string_view answer) {
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t end = answer.find("\r\n\r\n");
  const std::size_t at = answer.find(kLength);
  if (end == std::string_view::npos || at > end) return 0;
  return end + 4 + std::strtoul(answer.data() + at + kLength.size(), nullptr, 10);
}

/// Whether all of an answer came, and it was what was asked for.
bool receive(int socket) {
  std::string answer;
  std::array<char, 65536> buffer{};
  while (answer.empty() || length_of(answer) == 0 || answer.size() < length_of(answer)) {
    const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return answer.starts_with("HTTP/1.1 200");
}

int ask_often(std::uint16_t port, const std::string& path, int times) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  int answered = 0;
  if (connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
    while (answered < times &&
           send_all(socket, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n") &&
           receive(socket))
      ++answered;
  close(socket);
  return answered;
}

void measure(std::uint16_t port, const std::string& path, int clients, int requests = 20'000) {
  std::atomic<int> answered = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&] { answered += ask_often(port, path, requests / clients); });
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%-24s %2d clients  %8.0f requests/s  (%d answered)\n", path.c_str(), clients,
              answered / took.count(), answered.load());
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) {
    const auto port = static_cast<std::uint16_t>(std::atoi(words[1]));
    for (const char* path :
         {"/api/v1/state", "/api/v1/sites", "/api/v1/jobs?limit=100", "/metrics"}) {
      measure(port, path, 2,
              6'000);  // a peer may ask 8 000 times at once, then 4 000 times a second
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    return 0;
  }
  Source source;
  EventFeed feed;
  auto server = ApiServer::start(source, feed, {.port = 0, .requests_per_second = 0});
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  for (const int clients : {1, 4, 16}) measure(server->port(), "/api/v1/state", clients);
  measure(server->port(), "/api/v1/jobs", 4);
  return 0;
}
