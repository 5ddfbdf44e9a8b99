// Requests a second that the daemon's API answers on loopback, over connections that are kept.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/api_server.h"

namespace {

using namespace penstock;

/// As much as a daemon with a hundred jobs on its page would say.
class Source final : public ApiSource {
 public:
  ApiAnswer look(const ApiLook& look) override {
    return {200, look.page == "jobs" ? jobs_ : state_};
  }
  ApiAnswer act(const ApiDeed& /*deed*/) override { return {200, "{}"}; }
  std::string metrics() override { return {}; }

 private:
  std::string state_ = R"({"mode":"live","acting":true,"paused":false,"why_not":[],"jobs":{}})";
  std::string jobs_ = "{\"jobs\":[\"" + std::string(30'000, 'x') + "\"]}";
};

bool send_all(int socket, std::string_view bytes) {
  return send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

/// Whether an answer that ends in these bytes came.
bool receive_until(int socket, std::string_view end) {
  std::array<char, 65536> buffer{};
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = recv(socket, buffer.data() + filled, buffer.size() - filled, 0);
    if (got <= 0) return false;
    filled += static_cast<std::size_t>(got);
    if (std::string_view(buffer.data(), filled).ends_with(end)) return true;
  }
  return false;
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
           receive_until(socket, "}"))
      ++answered;
  close(socket);
  return answered;
}

void measure(std::uint16_t port, const std::string& path, int clients) {
  constexpr int kRequests = 20'000;
  std::atomic<int> answered = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&] { answered += ask_often(port, path, kRequests / clients); });
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%-16s %2d clients  %8.0f requests/s  (%d answered)\n", path.c_str(), clients,
              answered / took.count(), answered.load());
}

}  // namespace

int main() {
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
