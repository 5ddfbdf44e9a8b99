#include "bridge/event_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "bridge/event_line.h"

namespace penstock::bridge {
namespace {

constexpr std::size_t kMostCallers = 256;
constexpr std::size_t kLongestEvent = 4096;

Error failed(const std::string& path) {
  return Error{path + ": " + std::strerror(errno)};
}

/// True where a socket lies that nobody listens on, or nothing at all.
bool is_free(const std::string& path, const sockaddr_un& address) {
  struct stat there{};
  if (lstat(path.c_str(), &there) != 0) return errno == ENOENT;
  if (!S_ISSOCK(there.st_mode)) return false;
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  return connect(probe.number(), generic, sizeof address) != 0 && errno == ECONNREFUSED;
}

}  // namespace

Result<EventSocket> EventSocket::listen_at(const std::string& path, uid_t also_hears) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error{path + ": a socket's path has 1 to " +
                 std::to_string(sizeof address.sun_path - 1) + " bytes"};
  std::ranges::copy(path, static_cast<char*>(address.sun_path));
  if (!is_free(path, address)) return Error{path + ": is in use, or no socket"};
  unlink(path.c_str());
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (bind(listener.number(), generic, sizeof address) != 0) return failed(path);
  if (chmod(path.c_str(), 0666) != 0 || listen(listener.number(), SOMAXCONN) != 0)
    return failed(path);
  return EventSocket(path, std::move(listener), also_hears);
}

EventSocket::~EventSocket() {
  if (listener_.number() >= 0) unlink(path_.c_str());
}

void EventSocket::watch(std::vector<pollfd>& watched) const {
  if (callers_.size() < kMostCallers) watched.push_back({listener_.number(), POLLIN, 0});
  for (const Caller& caller : callers_) watched.push_back({caller.descriptor.number(), POLLIN, 0});
}

std::vector<std::string> EventSocket::take() {
  std::vector<std::string> events;
  do {
    admit();
    for (Caller& caller : callers_) read_from(caller, events);
  } while (std::erase_if(callers_, [](const Caller& caller) { return caller.gone; }) > 0);
  return events;
}

void EventSocket::admit() {
  while (callers_.size() < kMostCallers) {
    Descriptor caller(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (caller.number() < 0) return;
    if (is_welcome(caller)) callers_.push_back({std::move(caller), LineBuffer(kLongestEvent)});
  }
}

bool EventSocket::is_welcome(const Descriptor& caller) const {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(caller.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
  return who.uid == 0 || who.uid == geteuid() || who.uid == also_hears_;
}

void EventSocket::read_from(Caller& caller, std::vector<std::string>& events) {
  std::array<char, kLongestEvent> bytes{};
  ssize_t got = 0;
  while ((got = read(caller.descriptor.number(), bytes.data(), bytes.size())) > 0) {
    caller.lines.add({bytes.data(), static_cast<std::size_t>(got)});
    while (const auto line = caller.lines.next())
      if (auto event = event_of(line->text)) events.push_back(std::move(*event));
  }
  caller.gone = got == 0 || (errno != EAGAIN && errno != EINTR);
}

}  // namespace penstock::bridge
