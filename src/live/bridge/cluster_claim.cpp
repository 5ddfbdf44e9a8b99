#include "live/bridge/cluster_claim.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>

namespace penstock {
namespace {

/// A zero before the name makes it one of no file.
struct Address {
  sockaddr_un bytes{.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t length = 0;

  explicit Address(const std::string& name) {
    const std::size_t most = sizeof bytes.sun_path - 1;
    const std::size_t count = std::min(name.size(), most);
    std::memcpy(bytes.sun_path + 1, name.data(), count);
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  }
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

Descriptor new_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// "process 812 (penstock serve b.toml)".
std::string words_for(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (line.ends_with('\0')) line.pop_back();
  std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, ' ');
  return line.empty() ? fmt::format("process {}", process)
                      : fmt::format("process {} ({})", process, line);
}

}  // namespace

ClusterClaim::ClusterClaim(std::string cluster)
    : name_(cluster.empty() ? "" : "penstock-serve/" + std::move(cluster)) {}

bool ClusterClaim::bind_it() {
  Descriptor fresh = new_socket();
  const Address address(name_);
  if (::bind(fresh.number(), address.generic(), address.length) != 0) return errno != EADDRINUSE;
  ::listen(fresh.number(), 8);  // so that others can ask who we are
  socket_ = std::move(fresh);
  return true;
}

/// Whoever asks reads our number off the connection, which is all there is to say.
void ClusterClaim::answer_connections() const {
  while (true) {
    const Descriptor asker(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (asker.number() < 0) return;
  }
}

std::optional<std::string> ClusterClaim::take() {
  if (name_.empty()) return std::nullopt;
  if (socket_.number() < 0 && !bind_it()) return holder().value_or("another process");
  if (socket_.number() >= 0) answer_connections();
  return std::nullopt;
}

std::optional<std::string> ClusterClaim::holder() const {
  if (name_.empty() || socket_.number() >= 0) return std::nullopt;
  const Descriptor asking = new_socket();
  const Address address(name_);
  if (::connect(asking.number(), address.generic(), address.length) != 0)
    return errno == EAGAIN ? std::optional<std::string>("another process") : std::nullopt;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(asking.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    return "another process";
  return words_for(peer.pid);
}

}  // namespace penstock
