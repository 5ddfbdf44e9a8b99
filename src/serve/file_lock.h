#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace penstock {

/// Something that one process at a time has: as long as it lives, whatever becomes of it.
class FileLock {
 public:
  /// Makes the file if there is none. An error if another process has it.
  static Result<FileLock> take(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace penstock
