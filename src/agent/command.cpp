#include "agent/command.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>

namespace penstock::agent {
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

std::optional<int> wait_for(pid_t child, Duration patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= until) return {};
    std::this_thread::sleep_for(5ms);
  }
  return status;
}

}  // namespace

Result<Done> run_command(const std::vector<std::string>& words, Duration patience) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int code = start(arguments, child); code != 0)
    return Error{fmt::format("{}: {}", words[0], std::strerror(code))};
  const auto status = wait_for(child, patience);
  if (!status) {
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    return Error{fmt::format("{}: did not end within {:g} s", words[0], seconds(patience))};
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
