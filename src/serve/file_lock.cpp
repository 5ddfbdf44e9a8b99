#include "serve/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

namespace penstock {

Result<Descriptor> take_lock(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file.number() < 0) return Error{path.string() + ": cannot be made: " + std::strerror(errno)};
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
    return Error{path.string() +
                 ": another penstock serve has it; possible: another serve.journal, or to stop it"};
  return file;
}

bool is_taken(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() >= 0 && ::flock(file.number(), LOCK_SH | LOCK_NB) != 0;
}

}  // namespace penstock
