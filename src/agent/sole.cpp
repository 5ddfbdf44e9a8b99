#include "agent/sole.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace penstock::agent {

Result<Descriptor> be_sole(const std::string& record, Duration patience) {
  using Clock = std::chrono::steady_clock;
  if (const auto slash = record.rfind('/'); slash != std::string::npos && slash > 0)
    mkdir(record.substr(0, slash).c_str(), 0755);
  const std::string path = record + ".lock";
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.number() < 0)
    return Error{
        fmt::format("{}: cannot be written: {}; say where by --state", path, std::strerror(errno))};
  const auto until = Clock::now() + patience;
  while (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (Clock::now() >= until)
      return Error{fmt::format("{}: another agent looks after this node", path)};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return file;
}

}  // namespace penstock::agent
