#include "agent/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "base/descriptor.h"

namespace penstock::agent {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr Duration kShortPause = 500ms;
constexpr Duration kLongPause = 30s;
constexpr Duration kKilledSoon = 5s;  // a process in the driver's hands may outlive SIGKILL

std::pair<Descriptor, Descriptor> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {Descriptor(), Descriptor()};
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::optional<int> collect_within(pid_t child, Duration timeout) {
  const auto until = Clock::now() + timeout;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= until) return {};
    std::this_thread::sleep_for(5ms);
  }
  return status;
}

[[noreturn]] void leave(int code) {
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

struct Guard::Worker {
  pid_t pid = -1;
  Descriptor heartbeats{};
  Descriptor hold{};  ///< closed with us, which the worker sees
  Clock::time_point last_heartbeat = Clock::now();
  bool asked_to_end = false;
};

Guard::Guard(GuardOptions options, Work work, Cleanup clean_up)
    : options_(std::move(options)), work_(std::move(work)), cleanup_(std::move(clean_up)) {}

int Guard::run() {
  sigset_t set{};
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const Descriptor signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  signals_ = signals.number();
  bool clean = true;
  while (!stopping_) {
    Worker worker;
    const End end = start(worker) ? watch(worker) : End::died;
    if (end == End::requested) return kEnded;
    if (end == End::nothing_here && !has_worked_) return kNothingHere;
    clean = cleaned_up();
    if (!stopping_) wait_before_restart();
  }
  return clean ? kEnded : kLeftSet;
}

bool Guard::start(Worker& worker) {
  auto [heartbeats, heartbeat] = make_pipe();
  auto [guard, hold] = make_pipe();
  worker.pid = heartbeats.number() < 0 || guard.number() < 0 ? -1 : fork();
  if (worker.pid < 0) {
    options_.log(Level::warning, fmt::format("cannot start a worker: {}", std::strerror(errno)));
    return false;
  }
  if (worker.pid == 0) {
    hold.close();
    heartbeats.close();
    prctl(PR_SET_NAME, "penstock-worker");
    leave(work_({.heartbeats = heartbeat.number(), .guard = guard.number()}));
  }
  worker.heartbeats = std::move(heartbeats);
  worker.hold = std::move(hold);
  options_.log(Level::note, fmt::format("worker {} begins", worker.pid));
  return true;
}

Guard::End Guard::watch(Worker& worker) {
  while (true) {
    if (stopping_ && !std::exchange(worker.asked_to_end, true)) {
      kill(worker.pid, SIGTERM);
      worker.last_heartbeat = Clock::now();
    }
    const auto elapsed = std::chrono::duration_cast<Duration>(Clock::now() - worker.last_heartbeat);
    if (elapsed >= options_.timeout) return kill_hung(worker);
    read_heartbeats(worker, static_cast<int>((options_.timeout - elapsed).count()) + 1);
    const auto status = collect(worker);
    if (!status) continue;
    if (WIFEXITED(*status) && WEXITSTATUS(*status) == kEnded) return End::requested;
    if (WIFEXITED(*status) && WEXITSTATUS(*status) == kNothingHere) return End::nothing_here;
    options_.log(
        Level::warning,
        fmt::format("worker {} died ({} {})", worker.pid, WIFSIGNALED(*status) ? "signal" : "code",
                    WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status)));
    return End::died;
  }
}

/// Waits for beats, signals, or the time.
void Guard::read_heartbeats(Worker& worker, int wait_ms) {
  std::array<pollfd, 2> watched{{{worker.heartbeats.number(), POLLIN, 0}, {signals_, POLLIN, 0}}};
  if (poll(watched.data(), watched.size(), wait_ms) <= 0) return;
  std::array<char, 64> bytes{};
  const ssize_t count = read(worker.heartbeats.number(), bytes.data(), bytes.size());
  if (count > 0) {
    worker.last_heartbeat = Clock::now();
    if (std::find(bytes.begin(), bytes.begin() + count, kRound) != bytes.begin() + count) {
      pause_ = Duration::zero();
      has_worked_ = true;
    }
  }
  if (count == 0) std::this_thread::sleep_for(5ms);  // it ends; its status comes at once
  stopping_ = read_signals() || stopping_;
}

/// Whether one of them asks us to end.
bool Guard::read_signals() {
  bool end = false;
  signalfd_siginfo received{};
  while (read(signals_, &received, sizeof received) == sizeof received)
    end |= received.ssi_signo != SIGCHLD;
  return end;
}

std::optional<int> Guard::collect(Worker& worker) {
  int status = 0;
  if (waitpid(worker.pid, &status, WNOHANG) != worker.pid) return {};
  return status;
}

Guard::End Guard::kill_hung(Worker& worker) {
  options_.log(Level::warning, fmt::format("worker {} has hung for {:g} s and is killed",
                                           worker.pid, seconds(options_.timeout)));
  kill(worker.pid, SIGKILL);
  if (!collect_within(worker.pid, kKilledSoon))
    options_.log(Level::warning,
                 fmt::format("worker {} cannot be killed: NVIDIA's driver holds it", worker.pid));
  return End::died;
}

bool Guard::cleaned_up() {
  const auto code = run_in_child(cleanup_, options_.timeout);
  if (!code)
    options_.log(Level::warning,
                 "resetting hangs or died too; it is tried again with the next worker");
  return code == kEnded;
}

/// A worker that never got through a round is tried again after longer and longer pauses.
void Guard::wait_before_restart() {
  const auto until = Clock::now() + std::max(pause_, kShortPause);
  pause_ = std::min(std::max(pause_, kShortPause) * 2, kLongPause);
  while (!stopping_ && Clock::now() < until) {
    const auto left = std::chrono::duration_cast<Duration>(until - Clock::now());
    pollfd watched{signals_, POLLIN, 0};
    poll(&watched, 1, static_cast<int>(left.count()) + 1);
    stopping_ = read_signals();
  }
}

std::optional<int> run_in_child(const std::function<int()>& what, Duration timeout) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) leave(what());
  auto status = collect_within(child, timeout);
  if (!status) {
    kill(child, SIGKILL);
    collect_within(child, kKilledSoon);
    return {};
  }
  if (!WIFEXITED(*status)) return {};
  return WEXITSTATUS(*status);
}

}  // namespace penstock::agent
