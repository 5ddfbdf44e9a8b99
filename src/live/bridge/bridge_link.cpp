#include "live/bridge/bridge_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace penstock {
namespace {

constexpr std::size_t kLongestLine = std::size_t{512} << 20;  // of 10^5 jobs and more

void close_it(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("the bridge died of signal {}", WTERMSIG(status));
  return fmt::format("the bridge ended with code {}", WEXITSTATUS(status));
}

/// The pipes between this process and the bridge.
struct Pipes {
  std::array<int, 2> to{-1, -1};
  std::array<int, 2> from{-1, -1};
  std::array<int, 2> stderr_pipe{-1, -1};  ///< only if its stderr is captured
};

bool open_pipes(Pipes& pipes, bool captures_stderr) {
  return ::pipe2(pipes.to.data(), O_CLOEXEC) == 0 && ::pipe2(pipes.from.data(), O_CLOEXEC) == 0 &&
         (!captures_stderr || ::pipe2(pipes.stderr_pipe.data(), O_CLOEXEC) == 0);
}

/// The last line that can be read without waiting; empty if there is none.
std::string last_line(int descriptor) {
  if (descriptor < 0) return "";
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  std::array<char, 65536> bytes;
  const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
  std::string text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// The number of the process, or why there is none, as errno.
int spawn(const std::vector<std::string>& command, const Pipes& pipes, pid_t& pid) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, pipes.to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.from[1], STDOUT_FILENO);
  if (pipes.stderr_pipe[1] >= 0)
    posix_spawn_file_actions_adddup2(&actions, pipes.stderr_pipe[1], STDERR_FILENO);
  sigset_t none;  // what the daemon blocks for itself is not for others
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int failed =
      posix_spawnp(&pid, words.front(), &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

}  // namespace

BridgeLink::BridgeLink(Options options) : options_(std::move(options)), in_(kLongestLine) {
  PENSTOCK_CHECK(!options_.command.empty());
}

BridgeLink::~BridgeLink() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  close_it(to_);
  close_it(from_);
  close_it(stderr_);
}

std::uint64_t BridgeLink::send(const bridge::Command& command) {
  const std::uint64_t id = ++last_id_;
  if (unanswered_.empty()) last_message_ = Steady::now();
  unanswered_.push_back(id);
  const std::string object = bridge::to_json(command);
  out_ += fmt::format("{{\"id\":{},{}\n", id, std::string_view(object).substr(1));
  return id;
}

std::optional<BridgeMessage> BridgeLink::next() {
  if (messages_.empty()) return std::nullopt;
  BridgeMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void BridgeLink::start(Steady::time_point now) {
  Pipes pipes;
  pid_t pid = -1;
  const int failed =
      open_pipes(pipes, options_.captures_stderr) ? spawn(options_.command, pipes, pid) : errno;
  close_it(pipes.to[0]);
  close_it(pipes.from[1]);
  close_it(pipes.stderr_pipe[1]);
  to_ = pipes.to[1];
  from_ = pipes.from[0];
  stderr_ = pipes.stderr_pipe[0];
  if (failed != 0) {
    close_it(to_);
    close_it(from_);
    close_it(stderr_);
    last_error_ =
        fmt::format("{} cannot be started: {}", options_.command.front(), std::strerror(failed));
    start_at_ = now + options_.rest;
    return;
  }
  ::fcntl(to_, F_SETFL, O_NONBLOCK);
  ::fcntl(from_, F_SETFL, O_NONBLOCK);
  pid_ = pid;
  ++starts_;
  last_message_ = now;
  in_ = bridge::LineBuffer(kLongestLine);
}

void BridgeLink::end(const std::string& why, Steady::time_point now) {
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  last_error_ = why.empty() ? how_it_ended(status) : why;
  if (const std::string line = last_line(stderr_); !line.empty()) last_error_ += ": " + line;
  pid_ = -1;
  close_it(to_);
  close_it(from_);
  close_it(stderr_);
  out_.clear();
  written_ = 0;
  for (const std::uint64_t id : unanswered_)
    messages_.push_back({.kind = BridgeMessage::Kind::lost, .id = id});
  unanswered_.clear();
  start_at_ = now + options_.rest;
}

void BridgeLink::do_io(Steady::time_point now) {
  if (pid_ <= 0 && now >= start_at_) start(now);
  if (pid_ <= 0) {
    // Nobody will answer what is asked meanwhile.
    for (const std::uint64_t id : unanswered_)
      messages_.push_back({.kind = BridgeMessage::Kind::lost, .id = id});
    unanswered_.clear();
    out_.clear();
    return;
  }
  write_some();
  read_some(now);
  if (pid_ > 0 && !unanswered_.empty() && now - last_message_ > options_.timeout)
    end(fmt::format("the bridge has not answered for {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(options_.timeout).count()),
        now);
}

void BridgeLink::write_some() {
  while (written_ < out_.size()) {
    const ssize_t wrote = ::write(to_, out_.data() + written_, out_.size() - written_);
    if (wrote < 0) return;  // full, or broken: reading tells
    written_ += static_cast<std::size_t>(wrote);
  }
  out_.clear();
  written_ = 0;
}

void BridgeLink::read_some(Steady::time_point now) {
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t got = ::read(from_, bytes.data(), bytes.size());
    if (got > 0) {
      in_.add({bytes.data(), static_cast<std::size_t>(got)});
      continue;
    }
    const bool nothing_yet = got < 0 && (errno == EAGAIN || errno == EINTR);
    while (const auto line = in_.next()) take(*line, now);
    if (!nothing_yet && pid_ > 0) end("", now);
    return;
  }
}

void BridgeLink::take(const bridge::LineBuffer::Line& line, Steady::time_point now) {
  if (pid_ <= 0) return;
  auto body = std::make_shared<nlohmann::json>(
      line.too_long ? nlohmann::json(nlohmann::json::value_t::discarded)
                    : nlohmann::json::parse(line.text, nullptr, false));
  if (!body->is_object()) return end("the bridge said something that is not a JSON object", now);
  if (body->contains("event")) {
    messages_.push_back({.kind = BridgeMessage::Kind::event, .body = std::move(body)});
    return;
  }
  const auto id = body->find("id");
  if (id == body->end() || !id->is_number_unsigned() || unanswered_.empty() ||
      id->get<std::uint64_t>() != unanswered_.front())
    return end("the bridge answered something that was not asked", now);
  unanswered_.pop_front();
  last_message_ = now;
  messages_.push_back({.kind = BridgeMessage::Kind::answer,
                       .id = id->get<std::uint64_t>(),
                       .body = std::move(body)});
}

}  // namespace penstock
