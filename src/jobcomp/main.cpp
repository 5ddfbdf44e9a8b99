// penstock-jobcomp: slurmctld starts this whenever a job ends or is requeued
// (JobCompType=jobcomp/script) and tells about the job in the environment. It says so in one line
// to the bridge's socket and ends. No shell, no log, never an error: without a bridge there is
// nobody to tell, and Penstock polls.
//
// The socket's path is the first line of the file PROGRAM.conf beside the program as it was called,
// or /run/penstock/events.sock.
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace {

constexpr auto kTold = std::to_array<const char*>(
    {"JOBID", "ARRAYJOBID", "ARRAYTASKID", "JOBSTATE", "EXITCODE", "START", "END"});

/// Values are numbers and words; anything else could break the line.
bool is_safe(std::string_view value) {
  return !value.empty() && value.size() <= 64 &&
         std::ranges::all_of(value, [](char c) { return c > ' ' && c <= '~' && c != '='; });
}

std::string line() {
  std::string out;
  for (const char* name : kTold) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    if (value != nullptr && is_safe(value)) out += std::string(name) + '=' + value + ' ';
  }
  out += '\n';
  return out;
}

std::string socket_path(const char* program) {
  std::ifstream conf(std::string(program) + ".conf");
  std::string path;
  std::getline(conf, path);
  return path.empty() ? "/run/penstock/events.sock" : path;
}

void tell(const std::string& path, const std::string& what) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof address.sun_path) return;
  std::ranges::copy(path, static_cast<char*>(address.sun_path));
  const int bridge = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  setsockopt(bridge, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(bridge, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    static_cast<void>(send(bridge, what.data(), what.size(), MSG_NOSIGNAL));
  close(bridge);
}

}  // namespace

int main(int /*count*/, char** arguments) {
  tell(socket_path(arguments[0]), line());
  return 0;
}
