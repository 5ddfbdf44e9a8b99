#include "agent/governor.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace penstock::agent {
namespace {

constexpr unsigned kClockSlack = 30;  // MHz: readings lag, and drivers round

bool is_set(const PlannedGpu& planned) {
  return planned.clock_mhz || planned.limit;
}

bool another_way_may_do(const NvmlFailure& refused) {
  return refused.kind != NvmlFailure::Kind::other;
}

}  // namespace

std::vector<std::string> Governor::follow(const ClockPlan& plan) {
  std::map<unsigned, PlannedGpu> wanted;
  for (const PlannedGpu& planned : plan.gpus) {
    if (planned.index >= nvml_.gpu_count())
      add_problem(planned.index,
                  fmt::format("is in the plan, but there are only 0 to {}", nvml_.gpu_count() - 1));
    else if (is_set(planned))
      wanted.emplace(planned.index, planned);
  }
  for (const ChangedGpu& changed : std::vector(record_.changed())) {
    options_.heartbeat();
    if (!wanted.contains(changed.index)) undo(changed);
  }
  for (const auto& [index, planned] : wanted) {
    options_.heartbeat();
    set(planned);
  }
  return std::exchange(problems_, {});
}

std::vector<std::string> Governor::reset_all() {
  return follow({});
}

std::vector<AppliedClock> Governor::applied() const {
  std::vector<AppliedClock> list;
  list.reserve(settings_.size());
  for (const auto& [index, setting] : settings_) list.push_back({index, setting.clock_mhz});
  return list;
}

std::vector<std::string> Governor::clock_problems(unsigned index, const Reading& reading) const {
  const auto found = settings_.find(index);
  if (found == settings_.end() || !found->second.caps_clock || !reading.clock_mhz) return {};
  const unsigned set = found->second.clock_mhz.value_or(*reading.clock_mhz);
  if (*reading.clock_mhz <= set + kClockSlack) return {};
  return {fmt::format("GPU {}: runs at {} MHz though it was set to {}", index, *reading.clock_mhz,
                      set)};
}

void Governor::set(const PlannedGpu& planned) {
  if (const auto found = settings_.find(planned.index); found != settings_.end()) {
    if (found->second.requested == planned) return;
    settings_.erase(found);
  }
  const ClockMethod method =
      by_command_.contains(planned.index) ? ClockMethod::command : options_.method;
  auto refused = set_by(method, planned);
  if (refused && another_way_may_do(*refused) && method != ClockMethod::command) {
    if (options_.command.empty())
      return add_problem(planned.index,
                         fmt::format("cannot be set by {}: {}; run as root, or give --command",
                                     name_of(method), refused->text));
    by_command_.insert(planned.index);
    refused = set_by(ClockMethod::command, planned);
  }
  if (refused) add_problem(planned.index, "cannot be set: " + refused->text);
}

Fitted<unsigned> Governor::wanted_clock(const PlannedGpu& planned) const {
  return fit_clock(nvml_.traits(planned.index), planned.clock_mhz.value_or(0));
}

std::optional<NvmlFailure> Governor::set_by(ClockMethod method, const PlannedGpu& planned) {
  if (method != ClockMethod::power && !planned.clock_mhz)
    return NvmlFailure{.text = "the plan names no clock, and only --by power sets limits"};
  const auto clock = planned.clock_mhz ? wanted_clock(planned) : Fitted<unsigned>{};
  if (!clock.problem.empty()) add_problem(planned.index, clock.problem);
  auto refused = method == ClockMethod::clock   ? lock(planned, clock.value)
                 : method == ClockMethod::power ? limit(planned, clock.value)
                                                : command(planned, clock.value);
  if (refused) return refused;
  Setting setting{.requested = planned, .caps_clock = method != ClockMethod::power};
  if (planned.clock_mhz) setting.clock_mhz = clock.value;
  settings_[planned.index] = setting;
  return {};
}

/// The lowest clock stays allowed: a GPU that idles may save power.
std::optional<NvmlFailure> Governor::lock(const PlannedGpu& planned, unsigned mhz) {
  const bool before = is_changed(planned.index, ClockMethod::clock);
  const auto written =
      record_.add({.index = planned.index, .method = ClockMethod::clock, .clock_mhz = mhz});
  if (!written) return NvmlFailure{.text = written.error().message};
  const auto& clocks = nvml_.traits(planned.index).clocks;
  auto refused = nvml_.lock_clock(planned.index, clocks.empty() ? mhz : clocks.front(), mhz);
  if (refused && !before) (void)record_.remove(planned.index, ClockMethod::clock);
  return refused;
}

std::optional<NvmlFailure> Governor::limit(const PlannedGpu& planned, unsigned mhz) {
  const auto fitted = fit_limit(nvml_.traits(planned.index), planned);
  if (!fitted) return NvmlFailure{NvmlFailure::Kind::not_supported, fitted.error().message};
  if (!fitted->problem.empty()) add_problem(planned.index, fitted->problem);
  const bool before = is_changed(planned.index, ClockMethod::power);
  ChangedGpu changed{.index = planned.index, .method = ClockMethod::power};
  if (planned.clock_mhz) changed.clock_mhz = mhz;
  changed.limit_before = nvml_.read(planned.index).limit;
  for (const ChangedGpu& old : record_.changed())
    if (old.index == planned.index && old.method == ClockMethod::power)
      changed.limit_before = old.limit_before;
  const auto written = record_.add(changed);
  if (!written) return NvmlFailure{.text = written.error().message};
  auto refused = nvml_.limit_power(planned.index, fitted->value);
  if (refused && !before) (void)record_.remove(planned.index, ClockMethod::power);
  return refused;
}

std::optional<NvmlFailure> Governor::command(const PlannedGpu& planned, unsigned mhz) {
  const auto written =
      record_.add({.index = planned.index, .method = ClockMethod::command, .clock_mhz = mhz});
  if (!written) return NvmlFailure{.text = written.error().message};
  return run(planned.index, std::to_string(mhz));
}

void Governor::undo(const ChangedGpu& changed) {
  settings_.erase(changed.index);
  if (changed.index >= nvml_.gpu_count())
    return add_problem(changed.index, "was changed before, and is not here any more to be reset");
  auto refused = undo_by(changed);
  if (refused && another_way_may_do(*refused) && !options_.command.empty())
    refused = run(changed.index, "reset");
  if (refused) return add_problem(changed.index, "cannot be reset: " + refused->text);
  const auto written = record_.remove(changed.index, changed.method);
  if (!written) add_problem(changed.index, "is reset, but " + written.error().message);
}

std::optional<NvmlFailure> Governor::undo_by(const ChangedGpu& changed) {
  if (changed.method == ClockMethod::clock) return nvml_.unlock_clock(changed.index);
  if (changed.method == ClockMethod::command) return run(changed.index, "reset");
  if (changed.limit_before) return nvml_.limit_power(changed.index, *changed.limit_before);
  const auto limit = nvml_.default_limit(changed.index);
  if (!limit) return NvmlFailure{.text = limit.error().message};
  return nvml_.limit_power(changed.index, *limit);
}

std::optional<NvmlFailure> Governor::run(unsigned index, const std::string& word) {
  if (options_.command.empty())
    return NvmlFailure{.text = "it was set by a command, and none is given now (--command)"};
  auto words = options_.command;
  words.push_back(std::to_string(index));
  words.push_back(word);
  const auto done = run_command(words, options_.command_timeout);
  if (done) return {};
  return NvmlFailure{.text = done.error().message};
}

bool Governor::is_changed(unsigned index, ClockMethod method) const {
  return std::ranges::any_of(record_.changed(), [&](const ChangedGpu& changed) {
    return changed.index == index && changed.method == method;
  });
}

void Governor::add_problem(unsigned index, const std::string& what) {
  problems_.push_back(fmt::format("GPU {}: {}", index, what));
}

namespace {

using namespace std::chrono_literals;

/// A child begins with no signal held back, in a group of its own that can be killed as one.
int start(std::vector<char*>& arguments, pid_t& child) {
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none{};
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  const int code =
      posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return code;
}

std::optional<int> wait_for(pid_t child, Duration timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= until) return {};
    std::this_thread::sleep_for(5ms);
  }
  return status;
}

}  // namespace

Result<Done> run_command(const std::vector<std::string>& words, Duration timeout) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int code = start(arguments, child); code != 0)
    return Error{fmt::format("{}: {}", words[0], std::strerror(code))};
  const auto status = wait_for(child, timeout);
  if (!status) {
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    return Error{fmt::format("{}: did not end within {:g} s", words[0], seconds(timeout))};
  }
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return Done{};
  if (WIFEXITED(*status))
    return Error{fmt::format("{}: ended with code {}", words[0], WEXITSTATUS(*status))};
  return Error{fmt::format("{}: was ended by signal {}", words[0], WTERMSIG(*status))};
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace penstock::agent
