#include "bridge/event_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "bridge/fields.h"
#include "bridge/json_writer.h"

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

constexpr std::int64_t kNoTask = 0xfffffffe;  // Slurm's word for "is not set"

std::string_view value_of(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      return word.substr(name.size() + 1);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return {};
}

std::optional<std::int64_t> number_of(std::string_view line, std::string_view name) {
  const auto text = value_of(line, name);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end == text.data() || value < 0) return {};
  return value;
}

std::string lower(std::string_view text) {
  std::string out(text.substr(0, 32));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return is_word(out) ? out : "unknown";
}

}  // namespace

std::optional<std::string> event_of(std::string_view hook_line) {
  const auto job = number_of(hook_line, "JOBID");
  if (!job || *job == 0) return {};
  const std::string state = lower(value_of(hook_line, "JOBSTATE"));
  const auto array = number_of(hook_line, "ARRAYJOBID");
  const auto task = number_of(hook_line, "ARRAYTASKID");
  const auto exit = value_of(hook_line, "EXITCODE");
  const auto gap = std::min(exit.find(':'), exit.size());
  const std::string signal = "SIGNAL=" + std::string(exit.substr(std::min(gap + 1, exit.size())));
  JsonWriter out;
  out.open_object()
      .name("event")
      .text(state == "pending" ? "requeued" : "ended")
      .name("job")
      .number(*job);
  if (array && *array > 0 && task && *task != kNoTask)
    out.name("array_job").number(*array).name("array_task").number(*task);
  out.name("state").text(std::string_view(state));
  out.name("exit_code").number(number_of("CODE=" + std::string(exit.substr(0, gap)), "CODE"));
  out.name("exit_signal").number(number_of(signal, "SIGNAL"));
  out.name("started")
      .number(number_of(hook_line, "START"))
      .name("ended")
      .number(number_of(hook_line, "END"));
  return out.close_object().written();
}

Result<EventSocket> EventSocket::listen_at(const std::string& path, uid_t also_accepts) {
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
  return EventSocket(path, std::move(listener), also_accepts);
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
    if (may_send(caller)) callers_.push_back({std::move(caller), LineBuffer(kLongestEvent)});
  }
}

bool EventSocket::may_send(const Descriptor& caller) const {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(caller.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
  return who.uid == 0 || who.uid == geteuid() || who.uid == also_accepts_;
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
