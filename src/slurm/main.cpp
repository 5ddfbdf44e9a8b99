// penstock-slurm: one cluster's Slurm as lines of JSON on stdin and stdout; docs/formats/bridge.md.
#include <fmt/format.h>
#include <pwd.h>
#include <slurm/slurm.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "slurm/serve.h"

namespace {

using penstock::Error;
using penstock::Result;
using penstock::bridge::EventSocket;

constexpr std::string_view kUsage =
    "penstock-slurm [--conf slurm.conf] [--events SOCKET] [--events-user NAME]\n"
    "  answers requests, one JSON object a line, from stdin to stdout until stdin ends\n"
    "  --conf         the cluster's configuration (else SLURM_CONF, else Slurm's default)\n"
    "  --events       where the hook penstock-jobcomp reports jobs that end\n"
    "  --events-user  who may report beside root and ourselves: the user slurmctld runs as "
    "(slurm)\n"
    "  example: echo '{\"id\":1,\"do\":\"hello\"}' | penstock-slurm\n";

struct Options {
  std::string conf;
  std::string events;
  std::string events_user = "slurm";
  bool help = false;
};

/// Where the value of an option goes; null if there is no such option.
std::string* place_of(std::string_view name, Options& options) {
  if (name == "--conf") return &options.conf;
  if (name == "--events") return &options.events;
  return name == "--events-user" ? &options.events_user : nullptr;
}

Result<Options> read_options(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--help") {
      options.help = true;
      continue;
    }
    std::string* value = place_of(name, options);
    if (value == nullptr) return Error{fmt::format("there is no option '{}'", name)};
    if (++i == arguments.size()) return Error{fmt::format("{} needs a value", name)};
    *value = arguments[i];
  }
  return options;
}

uid_t number_of(const std::string& user) {
  const passwd* found = getpwnam(user.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  return found == nullptr ? geteuid() : found->pw_uid;
}

int fail(int code, const std::string& message) {
  fmt::print(stderr, "penstock-slurm: {}\n", message);
  return code;
}

int run(const Options& options) {
  if (!options.conf.empty() && access(options.conf.c_str(), R_OK) != 0)
    return fail(2, options.conf + ": cannot be read");
  std::optional<EventSocket> events;
  if (!options.events.empty()) {
    auto opened = EventSocket::listen_at(options.events, number_of(options.events_user));
    if (!opened) return fail(2, opened.error().message);
    events = std::move(*opened);
  }
  // Only replies reach the caller: whatever else is printed goes to stderr.
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return fail(1, "cannot set up stdout");
  std::signal(SIGPIPE, SIG_IGN);
  slurm_init(options.conf.empty() ? nullptr : options.conf.c_str());
  penstock::slurm::serve(STDIN_FILENO, out, std::move(events));
  slurm_fini();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const auto options = read_options({arguments, static_cast<std::size_t>(count)});
  if (!options) return fail(2, options.error().message + "\n" + std::string(kUsage));
  if (options->help) {
    fmt::print("{}", kUsage);
    return 0;
  }
  return run(*options);
}
