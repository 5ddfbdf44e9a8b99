#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "report/output_file.h"

namespace penstock {

/// A name that is removed, with all below it, unless it was given away.
class Leftover {
 public:
  explicit Leftover(std::filesystem::path path) : path_(std::move(path)) {}
  Leftover(Leftover&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Leftover& operator=(Leftover&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~Leftover();

  const std::filesystem::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  std::filesystem::path path_;
};

/// Results that appear all at once or not at all. Files are written into path(),
/// `DIR.partial-<pid>` beside DIR; commit() gives it the name DIR. Without commit()
/// everything written is removed again.
class OutputDir {
 public:
  /// Refuses a DIR that is there and neither empty nor an earlier result of ours,
  /// which is one that holds a summary.json.
  static Result<OutputDir> create(const std::filesystem::path& dir);

  const std::filesystem::path& path() const { return partial_.path(); }
  /// An earlier result is replaced as a whole.
  Result<Done> commit();

 private:
  OutputDir(std::filesystem::path dir, Leftover partial)
      : dir_(std::move(dir)), partial_(std::move(partial)) {}

  std::filesystem::path dir_;
  Leftover partial_;
};

/// One file that appears whole or not at all. A device or pipe is written to
/// directly: it cannot be replaced.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);

  std::string& text() { return file_.text(); }
  void spill() { file_.spill(); }
  Result<Done> commit();

 private:
  AtomicFile(std::filesystem::path path, OutputFile file, std::optional<Leftover> partial)
      : path_(std::move(path)), file_(std::move(file)), partial_(std::move(partial)) {}

  std::filesystem::path path_;
  OutputFile file_;
  std::optional<Leftover> partial_;  ///< absent when written directly
};

/// Writes a whole file by way of AtomicFile.
Result<Done> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace penstock
