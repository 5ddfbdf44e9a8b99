#include "serve/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace penstock {

Result<FileLock> FileLock::take(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return Error{path.string() + ": cannot be made: " + std::strerror(errno)};
  FileLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0)
    return Error{path.string() +
                 ": another penstock serve has it; possible: another serve.journal, or to stop it"};
  return lock;
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace penstock
