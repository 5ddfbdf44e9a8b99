#include "batch/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/descriptor.h"

namespace penstock {
namespace {

struct Pipe {
  Descriptor reader{};
  Descriptor writer{};
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// What the child is given; all of it made before it is born.
struct Birth {
  char* const* words = nullptr;
  int input = -1;
  int out = -1;
  int error_output = -1;
  int failure = -1;  ///< told errno if the program cannot be started
  pid_t parent = 0;
};

/// In the child: only what is safe there.
[[noreturn]] void become(const Birth& birth) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != birth.parent) _exit(127);  // it has died already
  dup2(birth.input, STDIN_FILENO);
  dup2(birth.out, STDOUT_FILENO);
  dup2(birth.error_output, STDERR_FILENO);
  execvp(birth.words[0], birth.words);
  const int reason = errno;
  const ssize_t code = write(birth.failure, &reason, sizeof reason);
  _exit(code > 0 ? 127 : 126);
}

/// True while there may be more.
bool read_more(int file, std::string& into) {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(file, buffer.data(), buffer.size());
  if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

/// Reads both to their ends.
void drain(const Descriptor& out, const Descriptor& error_output, CommandEnd& end) {
  std::array<pollfd, 2> open{pollfd{out.number(), POLLIN, 0},
                             pollfd{error_output.number(), POLLIN, 0}};
  std::array<std::string*, 2> texts{&end.out, &end.error_output};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (poll(open.data(), open.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i].fd >= 0 && open[i].revents != 0 && !read_more(open[i].fd, *texts[i]))
        open[i].fd = -1;
  }
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Error cannot_start(const std::string& program, int reason) {
  return {fmt::format("cannot start {}: {}", program, std::strerror(reason))};
}

}  // namespace

Result<CommandEnd> run_command(const std::vector<std::string>& words,
                               const std::optional<std::filesystem::path>& log) {
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto out = make_pipe();
  auto error_output = make_pipe();
  auto failure = make_pipe();
  if (nothing.number() < 0 || !out || !error_output || !failure)
    return cannot_start(words.front(), errno);
  if (log) {
    out->writer = Descriptor(open(log->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (out->writer.number() < 0)
      return Error{fmt::format("cannot write to {}: {}", log->string(), std::strerror(errno))};
  }
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const Birth birth{.words = pointers.data(),
                    .input = nothing.number(),
                    .out = out->writer.number(),
                    .error_output = log ? out->writer.number() : error_output->writer.number(),
                    .failure = failure->writer.number(),
                    .parent = getpid()};
  const pid_t child = fork();
  if (child < 0) return cannot_start(words.front(), errno);
  if (child == 0) become(birth);
  for (Pipe* pipe : {&*out, &*error_output, &*failure}) pipe->writer.close();
  std::string reason;
  while (read_more(failure->reader.number(), reason)) {
  }
  CommandEnd end;
  drain(out->reader, error_output->reader, end);
  end.exit_code = exit_code_of(child);
  int code = 0;
  if (reason.size() != sizeof code) return end;
  std::memcpy(&code, reason.data(), sizeof code);
  return cannot_start(words.front(), code);
}

}  // namespace penstock
